import Glibc
import LayoutAPI
import LayoutApplication
import LayoutModel

extension Command {
    static let layoutsExport = Command(
        name: "layouts export", summary: "Print layouts as JSON lines, from a database that no server uses",
        settings: [.database],
        options: [
            .init(name: "user", placeholder: "U", help: "This user's alone"),
            .init(name: "after", placeholder: "U", help: "Those behind this user's: go on where an export was cut"),
        ]
    ) { invocation in
        try await withStore(of: invocation) { store in
            if let user = try user(in: "user", of: invocation) {
                Machine.write(LayoutLine.octets(of: user, try await store.layout(of: user).layout))
                return
            }
            let meter = ProgressMeter(besideLines: true)
            defer { meter.finish() }
            var count = 0
            try await LayoutExport(pages: store.layouts).run(after: try user(in: "after", of: invocation)) {
                Machine.write($0)
                count += $1
                meter.show(Progress(step: "exporting", done: count))
            }
        }
    }

    static let layoutsImport = Command(
        name: "layouts import",
        summary: "Take in JSON lines of an export (- for standard input); one result line a user, repeating is a no-op",
        operands: [.init(name: "FILE")], settings: [.database]
    ) { invocation in
        let file = try InputFile(invocation.operands[0])
        let tally = try await withStore(of: invocation) { store in
            let catalogs = try await CatalogService(store: store, coding: .json, clock: Machine.now)
            try checkCatalog(catalogs.catalog)
            let layouts = LayoutService(store: store, catalogs: catalogs, clock: Machine.now)
            let meter = ProgressMeter(besideLines: true)
            defer { meter.finish() }
            let load = LayoutImport(into: layouts, by: "pegboard layouts import")
            do {
                return try await load.run(reading: file.read) { results in
                    Machine.write(results.filter { $0.complaint == nil }.flatMap(\.line))
                    Machine.print(results.compactMap(\.complaint).map { "\($0)\n" }.joined(), to: STDERR_FILENO)
                    meter.show(Progress(step: "importing", done: file.position, total: file.size, unit: .bytes))
                }
            } catch let stopped as LayoutImport.Stopped {
                Machine.print("stopped at line \(stopped.line)\n", to: STDERR_FILENO)
                throw stopped.cause
            }
        }
        if tally.refused > 0 { throw CommandFailure(.badInput, "\(tally.refused) lines could not be taken in.") }
    }

    static let layoutsSeed = Command(
        name: "layouts seed",
        summary: "Make up user-1 to user-N with layouts, for load tests: the same for the same seed",
        operands: [.init(name: "N")], settings: [.database],
        options: [.init(name: "seed", placeholder: "S", help: "A whole number [0]")]
    ) { invocation in
        guard let count = Int(invocation.operands[0]), (0...100_000_000).contains(count) else {
            throw CommandFailure(.usage, "N is a whole number from 0 to 100000000.")
        }
        guard let seed = UInt64(invocation.options["seed"] ?? "0") else {
            throw CommandFailure(.usage, "--seed is a whole number from 0 to \(UInt64.max).")
        }
        try await withStore(of: invocation) { store in
            let catalog = try await CatalogService(store: store, coding: .json, clock: Machine.now).catalog
            try checkCatalog(catalog)
            let meter = ProgressMeter()
            defer { meter.finish() }
            let users = MadeUpUsers(store: store, catalog: catalog, seed: seed, origin: "pegboard layouts seed")
            try await users.create(count) { meter.show(Progress(step: "making up", done: $0, total: count)) }
        }
        Machine.print("\(count) users\n")
    }

    private static func user(in option: String, of invocation: Invocation) throws -> UserID? {
        guard let name = invocation.options[option] else { return nil }
        guard let user = UserID(name) else {
            throw CommandFailure(.usage, "A user id is \(UserID.allowed).")
        }
        return user
    }

    /// Without one every id is unknown, and every list would be empty.
    private static func checkCatalog(_ catalog: Catalog) throws {
        guard catalog.revision == 0 else { return }
        throw CommandFailure(.badInput, "There is no catalog yet, so no id is known: `pegboard catalog publish` one.")
    }

    private static func withStore<Result>(
        of invocation: Invocation, _ body: (any LayoutStore) async throws -> Result
    ) async throws -> Result {
        let store = try await Storage.open(invocation.configuration)
        do {
            let result = try await body(store)
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }
}
