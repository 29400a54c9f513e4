import LayoutApplication
import LayoutModel
import LayoutRecords

/// `idempotency`: what a repeated request is answered. Records leave by `prune` alone, once an hour.
enum IdempotencyTable {
    /// Oldest first.
    ///
    /// - Throws: `StoreError.damaged`.
    static func requests(
        of user: UserID, on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> [RecordedRequest] {
        let rows = try connection.read(
            """
            SELECT fingerprint, status, entity_tag, content, created_at, checksum, scope, key FROM idempotency
            WHERE user_id = $1 ORDER BY created_at, scope, key
            """, [.text(user.text)], by: deadline)
        return try rows.map { row in
            let record = record(scope: row.text(6), key: row.text(7), row, from: 0)
            return RecordedRequest(
                scope: record.scope, key: record.key, status: try record.verifiedAnswer(of: user).status,
                recordedAt: record.createdAt)
        }
    }

    /// - Returns: how many went.
    static func expire(
        before time: Timestamp, limit: Int, on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> Int {
        let rows = try connection.write(
            """
            DELETE FROM idempotency AS i
            USING (SELECT user_id, scope, key FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2) AS old
            WHERE i.user_id = old.user_id AND i.scope = old.scope AND i.key = old.key AND i.created_at < $1
            RETURNING 1::bigint
            """, [.integer(time), .integer(Int64(limit))], by: deadline)
        return rows.count
    }

    /// Of a row whose columns from `column` on are fingerprint, status, entity_tag, content, created_at and checksum.
    static func record(scope: String, key: String, _ row: Rows.Row, from column: Int32) -> RequestRow {
        RequestRow(
            scope: scope, key: key, fingerprint: row.bytes(column),
            answer: RecordedAnswer(
                status: Int(row.integer(column + 1)), entityTag: row.text(column + 2), content: row.bytes(column + 3)),
            createdAt: row.integer(column + 4), checksum: row.integer(column + 5))
    }
}
