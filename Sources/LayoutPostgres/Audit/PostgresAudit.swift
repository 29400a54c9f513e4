package import LayoutApplication
import LayoutMigrations
import LayoutModel
package import LayoutRecords

/// Looks at everything that a database holds: every row's checksum, and what has to be true of the rows together. Page by
/// page, each of them one moment, while servers write; it changes nothing.
package struct PostgresAudit {
    private let pool: ConnectionPool
    private let readCatalog: @Sendable (CatalogRecord) throws -> Void
    private let progress: WorkProgress.Observer
    private var report = AuditReport()
    private var rowsDone = 0
    private var rowsInAll = 0

    private static let width = 1_000

    /// - Parameter readCatalog: takes a catalog's document apart; throws where it is none.
    /// - Throws: `PostgresOpenError` where there is nothing to look at.
    package static func run(
        on pool: ConnectionPool, clock: @escaping @Sendable () -> Int64,
        readCatalog: @escaping @Sendable (CatalogRecord) throws -> Void, progress: @escaping WorkProgress.Observer
    ) async throws(PostgresOpenError) -> AuditReport {
        try await PostgresSchema(pool: pool, clock: clock).requireNewest()
        var audit = PostgresAudit(pool: pool, readCatalog: readCatalog, progress: progress)
        do { try await audit.run() } catch let error as StoreError {
            throw .unusable(reason: "\(error)")
        } catch { throw .refused(reason: "\(error)") }
        return audit.report
    }

    private init(
        pool: ConnectionPool, readCatalog: @escaping @Sendable (CatalogRecord) throws -> Void,
        progress: @escaping WorkProgress.Observer
    ) {
        self.pool = pool
        self.readCatalog = readCatalog
        self.progress = progress
    }

    private mutating func run() async throws {
        // An estimate: counting them all would take as long as looking at them.
        let estimate = try await rows(
            """
            SELECT sum(greatest(c.reltuples, 0))::bigint FROM unnest($1) AS t (name)
            JOIN pg_class AS c ON c.oid = to_regclass(t.name)
            """, [.texts(["layouts", "revisions", "idempotency", "catalogs"])]
        ) { Int($0.integer(0)) }
        rowsInAll = estimate.first ?? 0
        try await checkIdentity()
        try await checkLayouts()
        try await checkRevisions()
        try await checkRequests()
        try await checkCatalogs()
        try await checkErased()
        progress(WorkProgress(step: .checkingRows, done: rowsDone, total: rowsDone))
    }

    private func rows<Value: Sendable>(
        _ statement: String, _ parameters: [Parameter] = [], _ read: @escaping @Sendable (Rows.Row) -> Value
    ) async throws -> [Value] {
        try await pool.perform(within: .seconds(60)) { try $0.read(statement, parameters, by: $1).map(read) }
    }

    /// A row that was read, and what is wrong with it. A damaged one has no value.
    private struct Checked<Value: Sendable>: Sendable {
        let key: String
        let value: Result<Value, any Error>

        init(_ key: String, _ read: () throws -> Value) {
            self.key = key
            value = Result { try read() }
        }
    }

    /// - Returns: the row's value; nil where it is damaged, which is a finding.
    private mutating func value<Value>(of row: Checked<Value>, in table: String) -> Value? {
        rowsDone += 1
        if rowsDone % 1_024 == 0 {
            progress(WorkProgress(step: .checkingRows, done: rowsDone, total: max(rowsInAll, rowsDone)))
        }
        switch row.value {
        case .success(let value): return value
        case .failure(StoreError.damaged(let what)): report.find(table, row.key, what)
        case .failure(let error): report.find(table, row.key, "\(error)")
        }
        return nil
    }

    private static func user(_ text: String) throws -> UserID {
        guard let user = UserID(stored: text) else { throw StoreError.damaged(what: "that is no user's id") }
        return user
    }
}

// MARK: - What is looked at

extension PostgresAudit {
    private mutating func checkIdentity() async throws {
        let found = try await rows("SELECT id, version_floor FROM identity WHERE one = 1") {
            (id: $0.text(0), floor: $0.integer(1))
        }
        guard let identity = found.first else { return report.find("identity", "", "it is missing") }
        report.check(identity: identity.id, versionFloor: identity.floor)
    }

    /// Each with its newest revision beside it, in one statement: the two are of one moment.
    private mutating func checkLayouts() async throws {
        var last = ""
        while true {
            let page = try await rows(
                """
                SELECT l.version, l.items, l.locked, l.updated_at, l.checksum, l.user_id,
                    (SELECT max(version) FROM revisions WHERE user_id = l.user_id),
                    l.items IS NOT DISTINCT FROM r.items AND l.locked = r.locked AND l.updated_at = r.created_at
                FROM (SELECT * FROM layouts WHERE user_id > $1 ORDER BY user_id LIMIT $2) AS l
                LEFT JOIN revisions AS r ON r.user_id = l.user_id AND r.version = l.version ORDER BY l.user_id
                """, [.text(last), .integer(Int64(Self.width))]
            ) { row in
                let layout = Checked(row.text(5)) { try LayoutTable.row(row).layout(of: Self.user(row.text(5))) }
                return (layout: layout, version: row.integer(0), newest: row.optionalInteger(6), isSame: row.bool(7))
            }
            for row in page {
                report.census.layouts += 1
                let key = row.layout.key
                if let layout = value(of: row.layout, in: "layouts") { report.check(layout, in: "layouts", key) }
                if key == UserID.me.text { report.findUserCalledMe() }
                switch row.newest {
                case nil: report.find("layouts", key, "there is no revision of it")
                case row.version where !row.isSame:
                    report.find("layouts", key, "it is not what its revision \(row.version) says")
                case row.version: break
                case let newest?:
                    report.find("layouts", key, "it is at version \(row.version), and its newest revision is \(newest)")
                }
            }
            guard let end = page.last else { return }
            last = end.layout.key
        }
    }

    private mutating func checkRevisions() async throws {
        var last = (key: "", version: Version(0))
        var orphan = ""
        while true {
            let page = try await rows(
                """
                SELECT r.version, r.items, r.locked, r.kind, r.origin, r.actor, r.created_at, r.checksum, r.user_id,
                    EXISTS (SELECT 1 FROM layouts AS l WHERE l.user_id = r.user_id)
                FROM (SELECT * FROM revisions WHERE (user_id, version) > ($1, $2) ORDER BY user_id, version LIMIT $3) AS r
                ORDER BY r.user_id, r.version
                """, [.text(last.key), .integer(last.version), .integer(Int64(Self.width))]
            ) { row in
                let revision = Checked(row.text(8)) { try RevisionTable.row(row).revision(of: Self.user(row.text(8))) }
                return (revision: revision, version: row.integer(0), hasLayout: row.bool(9))
            }
            for row in page {
                report.census.revisions += 1
                let key = row.revision.key
                if last.key == key, !report.mayFollow(row.version, last.version) {
                    report.find("revisions", key, "between version \(last.version) and \(row.version) some are missing")
                }
                if let revision = value(of: row.revision, in: "revisions") {
                    report.check(revision.layout, in: "revisions", key)
                }
                if !row.hasLayout, orphan != key {
                    report.find("revisions", key, "there is no layout to them")
                    orphan = key
                }
                last = (key, row.version)
            }
            if page.isEmpty { return }
        }
    }

    private mutating func checkRequests() async throws {
        var last = (user: "", scope: "", key: "")
        while true {
            let page = try await rows(
                """
                SELECT fingerprint, status, entity_tag, content, created_at, checksum, scope, key, user_id FROM idempotency
                WHERE (user_id, scope, key) > ($1, $2, $3) ORDER BY user_id, scope, key LIMIT $4
                """, [.text(last.user), .text(last.scope), .text(last.key), .integer(Int64(Self.width))]
            ) { row in
                let answer = Checked(row.text(8)) {
                    try IdempotencyTable.record(scope: row.text(6), key: row.text(7), row, from: 0)
                        .verifiedAnswer(of: Self.user(row.text(8)))
                }
                return (answer: answer, place: (user: row.text(8), scope: row.text(6), key: row.text(7)))
            }
            for row in page {
                report.census.requests += 1
                if let answer = value(of: row.answer, in: "idempotency"), !(100...599).contains(answer.status) {
                    report.find("idempotency", row.answer.key, "\(answer.status) is no status code")
                }
                last = row.place
            }
            if page.isEmpty { return }
        }
    }

    private mutating func checkCatalogs() async throws {
        var (last, previous) = (Int64.min, 0)
        while true {
            // One at a time: a catalog is long.
            let page = try await rows(
                """
                SELECT \(CatalogTable.columns) FROM catalogs WHERE revision > $1 ORDER BY revision LIMIT 1
                """, [.integer(last)]
            ) { row in
                (record: Checked("\(row.integer(0))") { try CatalogTable.row(row).record() }, revision: row.integer(0))
            }
            guard let row = page.first else { return }
            report.census.catalogs += 1
            if let record = value(of: row.record, in: "catalogs") {
                report.check(record, after: &previous, readCatalog)
            }
            last = row.revision
        }
    }

    private mutating func checkErased() async throws {
        var last = Int64.min
        while true {
            let page = try await rows(
                // 0: nobody was erased. See `ChangeStatement`.
                "SELECT digest, version FROM erased WHERE digest > $1 AND version <> 0 ORDER BY digest LIMIT $2",
                [.integer(last), .integer(Int64(Self.width))]
            ) { (digest: $0.integer(0), version: $0.integer(1)) }
            for row in page {
                report.census.erased += 1
                report.check(erased: row.digest, version: row.version)
                last = row.digest
            }
            if page.isEmpty { return }
        }
    }
}
