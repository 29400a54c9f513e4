import LayoutApplication
import LayoutModel
import LayoutRecords

/// `revisions`: the last versions of each user, the newest among them. `RevisionRing` says where each lies.
struct RevisionTable {
    private let select: Statement
    private let oldest: Statement
    private let page: Statement
    private let sweep: Statement
    private let delete: Statement
    private let erase: Statement
    private let exists: Statement
    private let insert: Statement
    private let overwrite: Statement
    private let isInTheWay: Statement
    private let rows: Statement
    private let leave: Statement
    private let lift: Statement
    private let settle: Statement

    init(_ connection: Connection) throws {
        select = try connection.prepare(
            """
            SELECT version, items, locked, kind, origin, actor, created_at, checksum FROM revisions
            WHERE user_id = ?1 AND version = ?2
            """)
        oldest = try connection.prepare("SELECT min(version) FROM revisions WHERE user_id = ?1 HAVING count(*) > 0")
        page = try connection.prepare(
            """
            SELECT version, items, locked, kind, origin, actor, created_at, checksum FROM revisions
            WHERE user_id = ?1 AND version < ?2 ORDER BY version DESC LIMIT ?3
            """)
        // A user whole: about as many rows as asked for, and the rest of the last one's.
        sweep = try connection.prepare(
            """
            SELECT CAST(r.user_id AS BLOB), r.version, r.created_at < ?2 AND r.version < l.version
            FROM revisions AS r LEFT JOIN layouts AS l ON l.user_id = r.user_id
            WHERE r.user_id > CAST(?1 AS TEXT) AND r.user_id <= (SELECT max(user_id) FROM
            (SELECT user_id FROM revisions WHERE user_id > CAST(?1 AS TEXT) ORDER BY user_id LIMIT ?3))
            ORDER BY r.user_id, r.version
            """)
        delete = try connection.prepare("DELETE FROM revisions WHERE user_id = CAST(?1 AS TEXT) AND version = ?2")
        erase = try connection.prepare("DELETE FROM revisions WHERE user_id = ?1 RETURNING version")
        exists = try connection.prepare("SELECT 1 FROM revisions WHERE user_id = ?1 LIMIT 1")
        insert = try connection.prepare(
            """
            INSERT INTO revisions (user_id, place, reused_by, items, locked, kind, origin, actor, created_at, checksum)
            VALUES (?1, ?2, nullif(?3, ?2), ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """)
        // Looks and writes in one: nothing is written where the ring is not in order. See `LayoutTable` for why it is no
        // REPLACE.
        overwrite = try connection.prepare(
            """
            UPDATE revisions SET reused_by = nullif(?3, ?2), items = ?4, locked = ?5, kind = ?6, origin = ?7, actor = ?8,
            created_at = ?9, checksum = ?10 WHERE user_id = ?1 AND place = ?2 AND version = ?11
            AND NOT EXISTS (SELECT 1 FROM revisions WHERE user_id = ?1 AND place >= ?12)
            """)
        isInTheWay = try connection.prepare(
            """
            SELECT EXISTS (SELECT 1 FROM revisions WHERE user_id = ?1 AND place = ?2)
            OR EXISTS (SELECT 1 FROM revisions WHERE user_id = ?1 AND place >= ?3)
            """)
        rows = try connection.prepare("SELECT place, version FROM revisions WHERE user_id = ?1 ORDER BY version")
        leave = try connection.prepare("DELETE FROM revisions WHERE user_id = ?1 AND place = ?2")
        // Below zero, where nothing lies: those that move may be in each other's way.
        lift = try connection.prepare(
            "UPDATE revisions SET place = -1 - ?3, reused_by = version WHERE user_id = ?1 AND place = ?2")
        settle = try connection.prepare("UPDATE revisions SET place = -1 - place WHERE user_id = ?1 AND place < 0")
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

    /// The rows of the next users in the order of their ids, oldest first, and whether each is old: made before `time`, and
    /// not its layout's newest. Some `limit` rows, of whole users.
    func sweep(after user: [UInt8], madeBefore time: Timestamp, limit: Int) throws -> [RevisionSweep.Row] {
        try sweep.all(user, time, limit) {
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

    /// Adds the newest version; of those before it `count` less this one stay.
    ///
    /// - Throws: `StoreError.damaged`.
    func add(_ row: RevisionRow, keeping count: Int, of user: UserID) throws {
        let ring = RevisionRing(length: count)
        let place = ring.place(of: row.version)
        if let oldest = ring.oldest(leavingFor: row.version) {
            let written = try overwrite.changes(
                user.text, place, row.version, row.items, row.locked, row.kind, row.origin, row.actor, row.createdAt,
                row.checksum, oldest, count)
            if written > 0 { return }
        }
        let isInTheWay = try isInTheWay.first(user.text, place, count) { $0.bool(0) } ?? false
        if isInTheWay { try arrange(ring, for: row.version, of: user) }
        try insert.run(
            user.text, place, row.version, row.items, row.locked, row.kind, row.origin, row.actor, row.createdAt,
            row.checksum)
    }

    private func arrange(_ ring: RevisionRing, for version: Version, of user: UserID) throws {
        let rows = try rows.all(user.text) { RevisionRing.Row(place: $0.integer(0), version: $0.integer(1)) }
        // Of a layout that was older than its history this one was made, and a version is never used twice.
        guard !rows.contains(where: { $0.version == version }) else {
            throw StoreError.damaged(what: "layout of \(user): its history has version \(version) already")
        }
        let arrangement = ring.arrangement(of: rows, for: version)
        for place in arrangement.leaving { try leave.run(user.text, place) }
        for move in arrangement.moves { try lift.run(user.text, move.from, move.to) }
        try settle.run(user.text)
    }

    /// Of a row that begins as those of `select`.
    static func revision(of user: UserID, _ row: Row) throws -> Revision {
        try RevisionRow(
            version: row.integer(0), items: row.optionalText(1), locked: row.bool(2), kind: row.text(3),
            origin: row.text(4), actor: row.text(5), createdAt: row.integer(6), checksum: row.integer(7)
        ).revision(of: user)
    }
}
