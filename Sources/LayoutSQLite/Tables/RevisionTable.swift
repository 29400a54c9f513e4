import LayoutApplication
import LayoutModel

/// `revisions`: the last versions of each user, the newest among them.
struct RevisionTable {
    private let select: Statement
    private let oldest: Statement
    private let insert: Statement
    private let prune: Statement

    init(_ connection: Connection) throws {
        select = try connection.prepare(
            """
            SELECT items, locked, kind, origin, created_at, checksum FROM revisions WHERE user_id = ?1 AND version = ?2
            """)
        oldest = try connection.prepare("SELECT min(version) FROM revisions WHERE user_id = ?1 HAVING count(*) > 0")
        insert = try connection.prepare(
            """
            INSERT INTO revisions (user_id, version, items, locked, kind, origin, created_at, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        prune = try connection.prepare(
            """
            DELETE FROM revisions WHERE user_id = ?1 AND version <=
            (SELECT version FROM revisions WHERE user_id = ?1 ORDER BY version DESC LIMIT 1 OFFSET ?2)
            """)
    }

    /// - Throws: `StoreError.damaged`.
    func list(of user: UserID, at version: Version) throws -> PastList {
        let kept: PastList? = try select.first(user.text, version) { row in
            let items = row.optionalText(0)
            let checksum = Self.checksum(
                user, version, items, row.bool(1), row.text(2), row.text(3), createdAt: row.integer(4))
            return try verified(checksum, row.integer(5), "revision \(version) of \(user)") {
                .kept(try Items.list(from: items))
            }
        }
        return try kept ?? .expired(oldest: oldest.first(user.text) { $0.integer(0) })
    }

    func add(_ change: LayoutChange, items: String?, createdAt: Timestamp, of user: UserID) throws {
        let (layout, kind) = (change.layout, change.kind.rawValue)
        let checksum = Self.checksum(
            user, layout.version, items, layout.locked, kind, change.origin, createdAt: createdAt)
        try insert.run(
            user.text, layout.version, items, layout.locked, kind, change.origin, createdAt, checksum)
    }

    /// Keeps the newest `count`. By count and not by `version - count`: a restore leaves a gap between two versions, and
    /// must not cost a user the history before it.
    func keepNewest(_ count: Int, of user: UserID) throws { try prune.run(user.text, count) }

    private static func checksum(
        _ user: UserID, _ version: Version, _ items: String?, _ locked: Bool, _ kind: String, _ origin: String,
        createdAt: Timestamp
    ) -> Int64 {
        RowChecksum.of("revisions", user.text, version, items, locked, kind, origin, createdAt)
    }
}
