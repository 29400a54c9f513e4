import Glibc
package import LayoutRecords

/// Makes a copy of a database while it is being written. https://sqlite.org/lang_vacuum.html#vacuuminto
///
/// The copy is what the database was at one moment: every change that was answered before the call is in it. It gets its
/// name after it was looked at as a whole and is on stable storage, so a file of that name is always a good copy.
package enum Backup {
    package struct Summary: Equatable, Sendable {
        package let path: String
        package let bytes: Int
        package let census: Census
    }

    /// Blocks for as long as it takes: about a minute of one core for a gigabyte, nearly all of it for looking at the rows.
    ///
    /// - Parameter path: of a database that may be in use, by this process or another.
    /// - Throws: `CopyError`, `OpenError`. Nothing of the copy is left then.
    package static func make(
        ofDatabaseAt path: String, at destination: String, replacing: Bool,
        readCatalog: @escaping Audit.CatalogReader, progress: @escaping WorkProgress.Observer = { _ in }
    ) throws -> Summary {
        let (source, target) = (DatabaseFile(path), DatabaseFile(destination))
        guard try source.exists() else { throw CopyError.missing(path: path) }
        try check(target, isNoneOf: source)
        if !replacing { try target.checkAbsent() }
        let draft = try DraftFile(beside: target, as: .backup)
        defer { draft.discard() }

        let connection = try source.visit()
        let identity = try OpenError.telling(of: source.path) { try IdentityTable(connection).identity() }
        guard let identity else { throw OpenError.damaged(path: source.path, reason: "its identity is missing") }
        try draft.fill(from: connection, progress: progress)
        try OpenError.telling(of: source.path) { try connection.close() }

        let census = try draft.check(readCatalog: readCatalog, progress: progress)
        guard census.databaseID == identity.id else {
            throw CopyError.otherDatabase(path: destination, id: census.databaseID, databaseID: identity.id)
        }
        let bytes = try draft.sync()
        if !replacing { try target.checkAbsent() }
        try draft.moveIntoPlace()
        return Summary(path: target.path, bytes: bytes, census: census)
    }

    /// A copy over the database, its log or its lock would be the end of it. One in the name of another copy's log or draft
    /// would be taken for that.
    private static func check(_ target: DatabaseFile, isNoneOf source: DatabaseFile) throws {
        let own = (["", ".lock", ".new", ".probe"] + DatabaseFile.logSuffixes).map { source.path + $0 }
        guard !own.contains(target.path), !target.isSameFile(as: source) else {
            throw CopyError.sameFile(path: target.path)
        }
        let reserved = DatabaseFile.logSuffixes + DraftFile.Purpose.allCases.map(\.suffix)
        guard !reserved.contains(where: target.path.hasSuffix) else {
            throw CopyError.reservedName(path: target.path)
        }
    }
}

extension DatabaseFile {
    /// What SQLite puts beside a database. https://sqlite.org/tempfiles.html
    static let logSuffixes = ["-wal", "-shm", "-journal"]

    /// - Throws: `CopyError.exists`, also for what would be taken for its log.
    func checkAbsent() throws {
        for file in [""] + Self.logSuffixes where access(path + file, F_OK) == 0 {
            throw CopyError.exists(path: path + file)
        }
    }

    func isSameFile(as other: DatabaseFile) -> Bool {
        var (one, two) = (stat(), stat())
        return stat(path, &one) == 0 && stat(other.path, &two) == 0 && one.st_dev == two.st_dev
            && one.st_ino == two.st_ino
    }
}
