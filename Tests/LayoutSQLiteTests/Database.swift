import Glibc
import LayoutApplication
import LayoutSQLite
import LayoutTesting

/// A database file of one test's own, and ways to look into it and to harm it.
struct Database {
    let folder = TemporaryFolder()
    private var configure: @Sendable (inout SQLiteLayoutStore.Configuration) -> Void = { _ in }
    var path: String { folder.file("layouts.db") }

    /// The same file, opened in another way.
    func configured(_ configure: @escaping @Sendable (inout SQLiteLayoutStore.Configuration) -> Void) -> Database {
        var database = self
        database.configure = configure
        return database
    }

    func open() throws -> SQLiteLayoutStore {
        var configuration = SQLiteLayoutStore.Configuration(.file(path))
        // The log is emptied where a test asks for it.
        configuration.quietSeconds = 3_600
        configure(&configuration)
        return try SQLiteLayoutStore.open(configuration)
    }

    /// Opens a store for `body` and closes it.
    func withStore(_ body: (SQLiteLayoutStore) async throws -> Void) async throws {
        let store = try open()
        do { try await body(store) } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// Runs SQL on the file as somebody else would.
    func execute(_ sql: String) throws {
        let connection = try Connection(path, .readWrite)
        try connection.execute(sql)
        try connection.close()
    }

    func integer(_ sql: String) throws -> Int {
        let connection = try Connection(path, .readWrite)
        let result = try connection.integer(sql)
        try connection.close()
        return result
    }

    func text(_ sql: String) throws -> String? {
        let connection = try Connection(path, .readWrite)
        let result = try connection.text(sql)
        try connection.close()
        return result
    }

    func write(_ bytes: [UInt8], to name: String = "layouts.db") {
        let descriptor = Glibc.open(folder.file(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        precondition(descriptor >= 0 && Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
    }

    func bytes(of name: String) -> [UInt8] {
        let descriptor = Glibc.open(folder.file(name), O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: size(of: name))
        let count = read(descriptor, &bytes, bytes.count)
        precondition(count == bytes.count)
        return bytes
    }

    func size(of name: String) -> Int {
        var status = stat()
        return stat(folder.file(name), &status) == 0 ? Int(status.st_size) : 0
    }
}
