package import LayoutApplication
import LayoutMigrations
import LayoutModel
package import LayoutRecords

/// Looks at everything that a database holds: SQLite's own structure, every row's checksum, and what has to be true of the
/// rows together. It sees one moment, whoever writes meanwhile, and changes nothing.
package struct Audit {
    private let connection: Connection
    private let progress: WorkProgress.Observer
    private let readCatalog: CatalogReader
    private var report = AuditReport()
    private var rowsDone = 0
    private var rowsInAll = 0

    /// Takes a catalog's document apart.
    ///
    /// - Throws: where it is none.
    package typealias CatalogReader = @Sendable (CatalogRecord) throws -> Void

    /// Looks at the database at `path`, which may be in use.
    ///
    /// - Throws: `OpenError` where there is nothing to look at: no file, an empty one, another program's, another schema.
    package static func run(
        onDatabaseAt path: String, readCatalog: @escaping CatalogReader, progress: @escaping WorkProgress.Observer
    ) throws -> AuditReport {
        let file = DatabaseFile(path)
        guard try file.exists() else { throw CopyError.missing(path: path) }
        let connection = try file.visit()
        return try OpenError.telling(of: file.path) {
            var report = try run(on: connection, readCatalog: readCatalog, progress: progress)
            if try LayoutTable(connection).holds(.me) { report.findUserCalledMe() }
            return report
        }
    }

    static func run(
        on connection: Connection, readCatalog: @escaping CatalogReader, progress: @escaping WorkProgress.Observer
    ) throws -> AuditReport {
        let status = try Migrator().status(of: connection)
        guard status.pending.isEmpty else {
            let found = status.steps.count - status.pending.count
            throw OpenError.needsMigration(path: connection.path, found: found, known: status.steps.count)
        }
        var audit = Audit(connection: connection, progress: progress, readCatalog: readCatalog)
        // One moment for all that follows.
        try connection.execute("BEGIN")
        defer { try? connection.execute("ROLLBACK") }
        try audit.run()
        return audit.report
    }

    private init(
        connection: Connection, progress: @escaping WorkProgress.Observer, readCatalog: @escaping CatalogReader
    ) {
        self.connection = connection
        self.progress = progress
        self.readCatalog = readCatalog
    }

    private mutating func run() throws {
        try look(at: "file") { try $0.checkPages() }
        for table in ["layouts", "revisions", "idempotency", "catalogs", "erased"] {
            try look(at: table) { $0.rowsInAll += try $0.connection.integer("SELECT count(*) FROM \(table)") }
        }
        try look(at: "identity") { try $0.checkIdentity() }
        try look(at: "layouts") { try $0.checkLayouts() }
        try look(at: "revisions") { try $0.checkRevisions() }
        try look(at: "layouts") { try $0.compareLayoutsWithRevisions() }
        try look(at: "idempotency") { try $0.checkRequests() }
        try look(at: "catalogs") { try $0.checkCatalogs() }
        try look(at: "erased") { try $0.checkErased() }
        progress(WorkProgress(step: .checkingRows, done: rowsDone, total: rowsDone))
    }

    /// What a damaged page keeps from being read is a finding, and no reason not to look at the rest.
    private mutating func look(at table: String, _ body: (inout Audit) throws -> Void) throws {
        do { try body(&self) } catch let error as SQLError {
            guard case .corrupt = error.code else { throw error }
            find(table, "", "it cannot be read to its end: \(error.message)")
        }
    }

    private mutating func find(_ table: String, _ key: String, _ problem: String) { report.find(table, key, problem) }

    /// Counts a row, and looks at it: a checksum that does not match is a finding.
    private mutating func row(_ table: String, _ key: String, _ body: (inout Audit) throws -> Void) throws {
        rowsDone += 1
        if rowsDone % 1_024 == 0 {
            progress(WorkProgress(step: .checkingRows, done: rowsDone, total: max(rowsInAll, rowsDone)))
        }
        do { try body(&self) } catch StoreError.damaged(let what) { find(table, key, what) }
    }
}

// MARK: - What is looked at

extension Audit {
    private mutating func checkPages() throws {
        let progress = progress
        progress(WorkProgress(step: .checkingPages, done: 0, total: 0))
        connection.whileWorking { progress(WorkProgress(step: .checkingPages, done: 0, total: 0)) }
        defer { connection.whileWorking {} }
        let lines = try connection.prepare("PRAGMA integrity_check(1000)").all { $0.text(0) }
        for line in lines where line != "ok" { find("file", "", line) }
    }

    private mutating func checkIdentity() throws {
        guard let identity = try IdentityTable(connection).identity() else {
            return find("identity", "", "it is missing")
        }
        report.check(identity: identity.id, versionFloor: identity.versionFloor)
    }

    private mutating func checkLayouts() throws {
        let rows = try connection.prepare(
            "SELECT version, items, locked, updated_at, checksum, user_id FROM layouts ORDER BY user_id")
        try rows.each { row in
            report.census.layouts += 1
            let key = row.text(5)
            try self.row("layouts", key) { audit in
                guard let user = UserID(stored: key) else { return audit.find("layouts", key, "that is no user's id") }
                audit.check(try LayoutTable.layout(of: user, row), locked: row.integer(2), in: "layouts", key)
            }
        }
    }

    private mutating func checkRevisions() throws {
        let rows = try connection.prepare(
            """
            SELECT version, items, locked, kind, origin, actor, created_at, checksum, user_id FROM revisions
            ORDER BY user_id, version
            """)
        var previous = (key: "", version: Version(0))
        try rows.each { row in
            report.census.revisions += 1
            let (key, version) = (row.text(8), row.integer(0))
            try self.row("revisions", key) { audit in
                guard let user = UserID(stored: key) else {
                    return audit.find("revisions", key, "that is no user's id")
                }
                if previous.key == key, !audit.report.mayFollow(version, previous.version) {
                    audit.find("revisions", key, "between version \(previous.version) and \(version) some are missing")
                }
                let revision = try RevisionTable.revision(of: user, row)
                audit.check(revision.layout, locked: row.integer(2), in: "revisions", key)
            }
            previous = (key, version)
        }
    }

    private mutating func check(_ layout: StoredLayout, locked: Int64, in table: String, _ key: String) {
        report.check(layout, in: table, key)
        if locked != 0, locked != 1 { find(table, key, "version \(layout.version): 'locked' is \(locked)") }
    }

    private mutating func compareLayoutsWithRevisions() throws {
        let layouts = try connection.prepare(
            """
            SELECT l.user_id, l.version, (SELECT max(version) FROM revisions WHERE user_id = l.user_id),
            l.items IS r.items AND l.locked = r.locked AND l.updated_at = r.created_at
            FROM layouts AS l LEFT JOIN revisions AS r ON r.user_id = l.user_id AND r.version = l.version
            ORDER BY l.user_id
            """)
        try layouts.each { row in
            let (key, version, newest) = (row.text(0), row.integer(1), row.optionalText(2).flatMap(Version.init))
            switch newest {
            case nil: find("layouts", key, "there is no revision of it")
            case version where !row.bool(3): find("layouts", key, "it is not what its revision \(version) says")
            case version: break
            case let newest?: find("layouts", key, "it is at version \(version), and its newest revision is \(newest)")
            }
        }
        let orphans = try connection.prepare(
            """
            SELECT DISTINCT user_id FROM revisions AS r
            WHERE NOT EXISTS (SELECT 1 FROM layouts WHERE user_id = r.user_id) ORDER BY user_id
            """)
        try orphans.each { find("revisions", $0.text(0), "there is no layout to them") }
    }

    private mutating func checkRequests() throws {
        let rows = try connection.prepare(
            """
            SELECT fingerprint, status, entity_tag, content, created_at, checksum, scope, key, user_id FROM idempotency
            ORDER BY rowid
            """)
        try rows.each { row in
            report.census.requests += 1
            let key = row.text(8)
            try self.row("idempotency", key) { audit in
                guard let user = UserID(stored: key) else {
                    return audit.find("idempotency", key, "that is no user's id")
                }
                let answer = try IdempotencyTable.record(row.text(6), row.text(7), row).verifiedAnswer(of: user)
                if !(100...599).contains(answer.status) {
                    audit.find("idempotency", key, "\(answer.status) is no status code")
                }
            }
        }
    }

    private mutating func checkCatalogs() throws {
        let rows = try connection.prepare(
            """
            SELECT revision, layout_revision, published_at, published_by, document, checksum FROM catalogs
            ORDER BY revision
            """)
        var previous = 0
        try rows.each { row in
            report.census.catalogs += 1
            let key = "\(row.integer(0))"
            try self.row("catalogs", key) { audit in
                audit.report.check(try CatalogTable.record(row), after: &previous, audit.readCatalog)
            }
        }
    }

    private mutating func checkErased() throws {
        let rows = try connection.prepare("SELECT digest, version FROM erased ORDER BY digest")
        try rows.each { row in
            report.census.erased += 1
            let (digest, version) = (row.integer(0), row.integer(1))
            try self.row("erased", "\(digest)") { audit in
                audit.report.check(erased: digest, version: version)
            }
        }
    }
}
