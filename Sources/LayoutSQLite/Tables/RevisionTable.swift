import LayoutApplication
import LayoutModel
import LayoutRecords

/// `revisions`: the last versions of each user, the newest among them.
struct RevisionTable {
    private let select: Statement
    private let oldest: Statement
    private let page: Statement
    private let sweep: Statement
    private let delete: Statement
    private let erase: Statement
    private let exists: Statement
    private let insert: Statement
    private let prune: Statement
    private let deleteThrough: Statement
    private let isThere: Statement

    init(_ connection: Connection) throws {
        select = try connection.prepare(
            """
            SELECT version, items, locked, kind, origin, actor, created_at, checksum FROM revisions
            WHERE user_id = ?1 AND version = ?2
            """)
        oldest = try connection.prepare("SELECT min(version) FROM revisions WHERE user_id = ?1 HAVING count(*) > 0")
        insert = try connection.prepare(
            """
            INSERT INTO revisions (user_id, version, items, locked, kind, origin, actor, created_at, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """)
        page = try connection.prepare(
            """
            SELECT version, items, locked, kind, origin, actor, created_at, checksum FROM revisions
            WHERE user_id = ?1 AND version < ?2 ORDER BY version DESC LIMIT ?3
            """)
        // So many rows and no more are looked at, however few of them may go.
        sweep = try connection.prepare(
            """
            SELECT CAST(r.user_id AS BLOB), r.version, r.created_at < ?3 AND r.version < l.version FROM
            (SELECT user_id, version, created_at FROM revisions
             WHERE (user_id, version) > (CAST(?1 AS TEXT), ?2) ORDER BY user_id, version LIMIT ?4) AS r
            LEFT JOIN layouts AS l ON l.user_id = r.user_id ORDER BY r.user_id, r.version
            """)
        delete = try connection.prepare("DELETE FROM revisions WHERE user_id = CAST(?1 AS TEXT) AND version = ?2")
        erase = try connection.prepare("DELETE FROM revisions WHERE user_id = ?1 RETURNING version")
        exists = try connection.prepare("SELECT 1 FROM revisions WHERE user_id = ?1 LIMIT 1")
        isThere = try connection.prepare("SELECT 1 FROM revisions WHERE user_id = ?1 AND version = ?2")
        deleteThrough = try connection.prepare("DELETE FROM revisions WHERE user_id = ?1 AND version <= ?2")
        prune = try connection.prepare(
            """
            DELETE FROM revisions WHERE user_id = ?1 AND version <=
            (SELECT version FROM revisions WHERE user_id = ?1 ORDER BY version DESC LIMIT 1 OFFSET ?2)
            """)
    }

    /// - Throws: `StoreError.damaged`.
    func list(of user: UserID, at version: Version) throws -> PastList {
        if let revision = try revision(version, of: user) { return .kept(revision.layout.favorites) }
        return try .expired(oldest: oldest.first(user.text) { $0.integer(0) })
    }

    /// - Throws: `StoreError.damaged`.
    func revision(_ version: Version, of user: UserID) throws -> Revision? {
        try select.first(user.text, version) { try Self.revision(of: user, $0) }
    }

    /// Newest first.
    ///
    /// - Throws: `StoreError.damaged`.
    func revisions(of user: UserID, below version: Version, limit: Int) throws -> [Revision] {
        // SQLite takes a negative limit for none.
        try page.all(user.text, version, max(limit, 0)) { try Self.revision(of: user, $0) }
    }

    /// The next rows in the order of the key, and whether each is old: made before `time`, and not its layout's newest.
    func sweep(after key: RevisionKey, madeBefore time: Timestamp, limit: Int) throws -> [RevisionSweep.Row] {
        try sweep.all(key.user, key.version, time, limit) {
            RevisionSweep.Row(key: RevisionKey(user: $0.bytes(0), version: $0.integer(1)), isOld: $0.bool(2))
        }
    }

    func delete(_ key: RevisionKey) throws { try delete.run(key.user, key.version) }

    /// Whether there is a row, damaged or not.
    func holds(_ user: UserID) throws -> Bool { try exists.first(user.text) { _ in true } ?? false }

    /// Deletes the user's rows, damaged or not.
    ///
    /// - Returns: their versions as they stand there.
    func erase(_ user: UserID) throws -> [Version] { try erase.all(user.text) { $0.integer(0) } }

    func add(_ row: RevisionRow, of user: UserID) throws {
        try insert.run(
            user.text, row.version, row.items, row.locked, row.kind, row.origin, row.actor, row.createdAt, row.checksum)
    }

    /// Of a row that begins as those of `select`.
    static func revision(of user: UserID, _ row: Row) throws -> Revision {
        try RevisionRow(
            version: row.integer(0), items: row.optionalText(1), locked: row.bool(2), kind: row.text(3),
            origin: row.text(4), actor: row.text(5), createdAt: row.integer(6), checksum: row.integer(7)
        ).revision(of: user)
    }

    /// Keeps the newest `count`, of which `version` is the last.
    func keepNewest(_ count: Int, upTo version: Version, of user: UserID) throws {
        let oldest = version - Version(count) + 1
        if try isThere.first(user.text, oldest, read: { _ in true }) ?? false {
            try deleteThrough.run(user.text, oldest - 1)
        } else {
            // A restore leaves a gap between two versions, wider than any history (`VersionFloor`), and must not cost a user
            // the history before it: what stays is counted.
            try prune.run(user.text, count)
        }
    }
}
