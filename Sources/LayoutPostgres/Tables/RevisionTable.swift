import LayoutApplication
import LayoutModel
import LayoutRecords

/// `revisions`: the last versions of each user, the newest among them.
enum RevisionTable {
    static let columns = "version, items, locked, kind, origin, actor, created_at, checksum"

    /// - Throws: `StoreError.damaged`.
    static func list(
        of user: UserID, at version: Version, on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> PastList {
        if let revision = try revision(version, of: user, on: connection, by: deadline) {
            return .kept(revision.layout.favorites)
        }
        let rows = try connection.read(
            "SELECT min(version) FROM revisions WHERE user_id = $1", [.text(user.text)], by: deadline)
        return .expired(oldest: rows.first?.optionalInteger(0))
    }

    /// - Throws: `StoreError.damaged`.
    static func revision(
        _ version: Version, of user: UserID, on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> Revision? {
        let rows = try connection.read(
            "SELECT \(columns) FROM revisions WHERE user_id = $1 AND version = $2",
            [.text(user.text), .integer(version)], by: deadline)
        return try rows.first.map { try row($0).revision(of: user) }
    }

    /// Newest first.
    ///
    /// - Throws: `StoreError.damaged`.
    static func revisions(
        of user: UserID, below version: Version, limit: Int, on connection: Connection,
        by deadline: ContinuousClock.Instant
    ) throws -> [Revision] {
        let rows = try connection.read(
            """
            SELECT \(columns) FROM revisions WHERE user_id = $1 AND version < $2 ORDER BY version DESC LIMIT $3
            """, [.text(user.text), .integer(version), .integer(Int64(max(limit, 0)))], by: deadline)
        return try rows.map { try row($0).revision(of: user) }
    }

    /// The next rows in the order of the key, and whether each is old: made before `time`, and not its layout's newest. So
    /// many rows and no more are looked at, however few of them may go.
    static func sweep(
        after key: RevisionKey, madeBefore time: Timestamp, limit: Int, on connection: Connection,
        by deadline: ContinuousClock.Instant
    ) throws -> [RevisionSweep.Row] {
        let rows = try connection.read(
            """
            SELECT r.user_id, r.version, coalesce(r.created_at < $3 AND r.version < l.version, FALSE)
            FROM (SELECT user_id, version, created_at FROM revisions
                  WHERE (user_id, version) > ($1, $2) ORDER BY user_id, version LIMIT $4) AS r
            LEFT JOIN layouts AS l ON l.user_id = r.user_id ORDER BY r.user_id, r.version
            """,
            [
                .text(String(decoding: key.user, as: UTF8.self)), .integer(key.version), .integer(time),
                .integer(Int64(limit)),
            ], by: deadline)
        return rows.map {
            RevisionSweep.Row(key: RevisionKey(user: $0.bytes(0), version: $0.integer(1)), isOld: $0.bool(2))
        }
    }

    /// - Returns: how many went.
    static func delete(
        _ keys: ArraySlice<RevisionKey>, on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> Int {
        let rows = try connection.write(
            """
            DELETE FROM revisions AS r USING unnest($1, $2) AS k (user_id, version)
            WHERE r.user_id = k.user_id AND r.version = k.version RETURNING 1::bigint
            """,
            [.texts(keys.map { String(decoding: $0.user, as: UTF8.self) }), .integers(keys.map(\.version))],
            by: deadline)
        return rows.count
    }

    /// Of a row with `columns`.
    static func row(_ row: Rows.Row) -> RevisionRow {
        RevisionRow(
            version: row.integer(0), items: row.optionalText(1), locked: row.bool(2), kind: row.text(3),
            origin: row.text(4), actor: row.text(5), createdAt: row.integer(6), checksum: row.integer(7))
    }
}
