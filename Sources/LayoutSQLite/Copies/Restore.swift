import Glibc
package import LayoutApplication
package import LayoutModel
package import LayoutRecords

/// Puts a copy in a database's place, so that whatever stops it there is the old database or the new one.
package struct Restore {
    /// The copy; it stays as it is.
    package var source: String
    package var database: String
    /// Also where the copy is another database's.
    package var force = false
    package var now: Timestamp
    package var readCatalog: Audit.CatalogReader
    /// The catalog in force under another number: the numbers after the backup's were used in the lost future.
    package var renumberCatalog: @Sendable (CatalogRecord, Int, Timestamp) throws -> CatalogRecord
    package var progress: WorkProgress.Observer = { _ in }

    package struct Summary: Equatable, Sendable {
        package let census: Census
        /// Where the old database is now; nil where there was none.
        package let kept: String?
        /// Users who were erased after the copy was made, and are back: nil where the old database cannot tell.
        package let erasedSince: Int?
    }

    package init(
        source: String, database: String, now: Timestamp, readCatalog: @escaping Audit.CatalogReader,
        renumberCatalog: @escaping @Sendable (CatalogRecord, Int, Timestamp) throws -> CatalogRecord
    ) {
        self.source = source
        self.database = database
        self.now = now
        self.readCatalog = readCatalog
        self.renumberCatalog = renumberCatalog
    }

    /// - Throws: `OpenError.inUse` while a server has the database; `CopyError`, `OpenError` where the copy is not whole.
    ///   Everything is as it was then.
    package func run() throws -> Summary {
        let (target, copy) = (DatabaseFile(database), DatabaseFile(source))
        guard try copy.exists() else { throw CopyError.missing(path: source) }
        guard !copy.isSameFile(as: target) else { throw CopyError.sameFile(path: source) }
        let connection = try copy.visit()
        // Made where there is none: not for a copy that is none.
        let lock = try FileLock(forDatabaseAt: target.path)
        defer { lock.release() }
        let inCopy = try look(at: connection)

        let old = OldDatabase(target)
        if let id = old.id, id != inCopy.databaseID, !force {
            throw CopyError.otherDatabase(path: source, id: inCopy.databaseID, databaseID: id)
        }
        let draft = try DraftFile(beside: target, as: .restore)
        defer { draft.discard() }
        try draft.fill(from: connection, progress: progress)
        let erasedSince = try OpenError.telling(of: source) {
            try old.erased?.subtracting(Self.erased(connection)).count
        }
        try OpenError.telling(of: source) { try connection.close() }
        try raise(draft, above: inCopy, old)
        let census = try draft.check(readCatalog: readCatalog, progress: progress)
        _ = try draft.sync()

        let kept = try setAside(target, isReadable: old.id != nil)
        try draft.moveIntoPlace()
        return Summary(census: census, kept: kept, erasedSince: erasedSince)
    }

    private func look(at connection: Connection) throws -> Census {
        let report = try OpenError.telling(of: source) {
            try Audit.run(on: connection, readCatalog: readCatalog, progress: progress)
        }
        guard report.findings.isEmpty else { throw CopyError.notWhole(path: source, findings: report.findings) }
        return report.census
    }

    /// Lifts the numbers that versions and catalogs are counted from above those of the lost future.
    private func raise(_ draft: DraftFile, above copy: Census, _ old: OldDatabase) throws {
        try OpenError.telling(of: draft.path) {
            let connection = try DatabaseFile(draft.path).open(.readWrite)
            let (identity, catalogs) = (try IdentityTable(connection), try CatalogTable(connection))
            try connection.execute("PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
            let known = max(copy.versionFloor, copy.newestVersion, old.newestVersion)
            try identity.raiseFloor(to: VersionFloor.after(known, at: now))
            if let current = try catalogs.current() {
                let known = max(current.summary.revision, old.newestCatalog)
                try catalogs.add(
                    renumberCatalog(current, VersionFloor.catalogRevision(after: known, at: now), now))
            }
            try connection.execute("COMMIT")
            try connection.close()
        }
    }

    private static func erased(_ connection: Connection) throws -> Set<OldDatabase.Erased> {
        Set(
            try connection.prepare("SELECT digest, version FROM erased").all {
                OldDatabase.Erased(digest: $0.integer(0), version: $0.integer(1))
            })
    }

    /// Gives the old database a second name, so that it outlives the moment in which its first becomes the copy's.
    ///
    /// - Returns: that name; nil where there is no old database.
    private func setAside(_ target: DatabaseFile, isReadable: Bool) throws -> String? {
        let (path, log) = (target.path, target.path + "-wal")
        guard access(path, F_OK) == 0 || access(log, F_OK) == 0 else { return nil }
        if isReadable { emptyLog(of: target) }
        let kept = freeName(path)
        do {
            if access(path, F_OK) == 0 { try SystemError.check(link(path, kept)) }
            // A log that could not be emptied goes with its database. SQLite would replay it into the copy, so it has to be
            // away before the copy is there; only a database that is damaged, or is being read, comes to this.
            if access(log, F_OK) == 0 { try SystemError.check(link(log, kept + "-wal")) }
            try target.syncFolder()
            for suffix in DatabaseFile.logSuffixes { unlink(path + suffix) }
        } catch {
            throw OpenError.cannotCreate(path: kept, reason: "\(error)")
        }
        return kept
    }

    /// Nobody else has the database, so this connection may write: it copies the log into it, and deletes the log. Not where
    /// the database is a ruin: its log may be the only whole part.
    private func emptyLog(of target: DatabaseFile) {
        guard let connection = try? target.open(.readWrite) else { return }
        try? connection.close()
    }

    private func freeName(_ path: String) -> String {
        let name = "\(path).before-restore-\(Self.stamp(now))"
        return (1...).lazy.map { $0 == 1 ? name : "\(name)-\($0)" }.first { access($0, F_OK) != 0 } ?? name
    }

    /// `20261130T081530Z`
    private static func stamp(_ time: Timestamp) -> String {
        var (seconds, parts) = (time_t(time / 1_000), tm())
        gmtime_r(&seconds, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
            let count = strftime(buffer.baseAddress!, buffer.count, "%Y%m%dT%H%M%SZ", &parts)
            return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}

/// What a database that is about to be replaced can still tell, damaged as it may be.
private struct OldDatabase {
    private(set) var id: String?
    private(set) var newestVersion: Version = 0
    private(set) var newestCatalog = 0
    private(set) var erased: Set<Erased>?

    struct Erased: Hashable {
        let digest: Int64
        let version: Version
    }

    init(_ file: DatabaseFile) {
        // Nobody has it, so where it has no log it stays as it is: without one that would only be made for the reading.
        let mode: Connection.Mode = access(file.path + "-wal", F_OK) == 0 ? .readOnly : .immutable
        guard (try? file.exists()) == true, let connection = try? file.visit(mode) else { return }
        defer { try? connection.close() }
        id = try? IdentityTable(connection).identity()?.id
        // Without a look at checksums: a version too many does no harm. What cannot be is left out.
        for query in [
            "SELECT version FROM layouts", "SELECT version FROM revisions", "SELECT version FROM erased",
            "SELECT version_floor AS version FROM identity",
        ] {
            let most = "SELECT max(version) FROM (\(query)) WHERE version <= \(Version.mostBelievable)"
            newestVersion = max(newestVersion, Version((try? connection.integer(most)) ?? 0))
        }
        newestCatalog = (try? connection.integer("SELECT max(revision) FROM catalogs WHERE revision < 1 << 40")) ?? 0
        erased = try? Set(
            connection.prepare("SELECT digest, version FROM erased").all {
                Erased(digest: $0.integer(0), version: $0.integer(1))
            })
    }
}
