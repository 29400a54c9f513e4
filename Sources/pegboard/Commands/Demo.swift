import Glibc
import HTTPTransport
import LayoutApplication
import LayoutModel

extension Command {
    static let demo = Command(
        name: "demo", summary: "Serve a demo catalog and 1,000 made-up users on loopback, and forget them at the end",
        settings: [.listen, .logLevel, .logFormat],
        options: [.init(name: "users", placeholder: "N", help: "How many users to make up [1000]")]
    ) { invocation in
        guard let users = Int(invocation.options["users"] ?? "1000"), (0...1_000_000).contains(users) else {
            throw CommandFailure(.usage, "--users is a whole number from 0 to 1000000.")
        }
        var configuration = invocation.configuration
        configuration.authentication = Configuration.AuthenticationMode.none
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        configuration.database = .file("\(folder.path)/demo.db")
        configuration.drainDelay = .zero
        try configuration.check()

        let log = Log(max(configuration.logLevel, .warning), configuration.logFormat)
        let application = try await Application.open(configuration, log: log)
        let catalog = try CatalogFile.decode(PackageResources.catalog_json, from: "the demo catalog")
        try await Application.publish(catalog, to: application.catalogs, log)
        try await MadeUpUsers(store: application.store, catalog: application.catalogs.catalog, origin: "demo")
            .create(users)
        try await serve(application, log) { addresses in
            Machine.print(DemoWalk(address: addresses[0].url(), users: users).text)
        }
    }
}

/// A folder that goes when the program ends in order.
private struct TemporaryFolder {
    let path: String

    init() throws {
        let base = Machine.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(base)/pegboard-demo-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw CommandFailure(.cannotCreate, "No folder for the demo's database can be made in \(base).")
        }
        path = String(cString: made)
    }

    func remove() {
        for suffix in ["", "-wal", "-shm", ".lock"] { unlink("\(path)/demo.db\(suffix)") }
        rmdir(path)
    }
}
