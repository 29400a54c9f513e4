import Glibc

/// The file of a database, by the one path that all its names lead to.
package struct DatabaseFile: Sendable {
    package let path: String

    /// 'PEGB'; the first migration sets it.
    private static let applicationID = 0x5045_4742

    package init(_ path: String) {
        if let resolved = Self.resolved(path) {
            self.path = resolved
        } else {
            // Not there yet: its folder may be.
            let slash = path.lastIndex(of: "/")
            let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
            self.path = Self.resolved(folder).map { $0 == "/" ? "/\(name)" : "\($0)/\(name)" } ?? path
        }
    }

    /// Whether there is a database to open.
    ///
    /// - Throws: `.empty` for a file without a byte: what was a database once must not be served as a new one.
    package func exists() throws(OpenError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let code = errno
            guard code == ENOENT else { throw .io(path: path, reason: SystemError.text(code)) }
            return false
        }
        guard status.st_size > 0 else { throw .empty(path: path) }
        return true
    }

    /// Makes the database beside its place, then moves it there: whenever the machine stops, there is a whole one or none.
    func create(_ migrator: Migrator) throws(OpenError) {
        // SQLite would replay this log into the new file. https://sqlite.org/tempfiles.html#write_ahead_log_wal_files
        guard access(path + "-wal", F_OK) != 0 else {
            throw .cannotCreate(path: path, reason: "the log of a database that was here, \(path)-wal, is left")
        }
        let draft = migrator.isInPieces ? path : path + ".new"
        for file in [draft, draft + "-wal", draft + "-shm", draft + "-journal"] { unlink(file) }
        do {
            let connection = try Connection.create(draft)
            try connection.execute("PRAGMA journal_mode = WAL")
            try migrator.migrate(connection)
            // Closing would do it too, and say nothing where it fails: the file that is moved would be without its log.
            try connection.checkpoint(.truncate)
            try connection.close()
            try SystemError.check(rename(draft, path))
            try syncFolder()
        } catch { throw .cannotCreate(path: path, reason: "\(error)") }
    }

    /// Opens what `exists`, where it is ours.
    func open(_ mode: Connection.Mode) throws(OpenError) -> Connection {
        try OpenError.telling(of: path) {
            let connection = try Connection(path, mode)
            try connection.execute("PRAGMA busy_timeout = 100")
            guard try connection.integer("PRAGMA application_id") == Self.applicationID else {
                throw OpenError.foreign(path: path, reason: "another program made it")
            }
            return connection
        }
    }

    /// Makes a file beside the database and deletes it: where that fails, the write-ahead log could not be made later.
    func probeFolder() throws(OpenError) {
        let probe = path + ".probe"
        let descriptor = Glibc.open(probe, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, close(descriptor) == 0, unlink(probe) == 0 else {
            throw .cannotWrite(path: path, reason: "no file can be made beside it, \(SystemError.text(errno))")
        }
    }

    /// Opens what `exists` for a look, beside whoever uses it.
    func visit(_ mode: Connection.Mode = .readOnly) throws(OpenError) -> Connection {
        let connection = try open(mode)
        try OpenError.telling(of: path) { try connection.becomeVisitor() }
        return connection
    }

    /// A new name is on stable storage once its folder is.
    func syncFolder() throws {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try SystemError.check(descriptor)
        defer { close(descriptor) }
        try SystemError.check(fsync(descriptor))
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
