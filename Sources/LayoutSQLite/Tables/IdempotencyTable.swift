import LayoutApplication
import LayoutModel
import LayoutRecords

/// `idempotency`: what a repeated request is answered.
struct IdempotencyTable {
    private let select: Statement
    private let replace: Statement
    private let expire: Statement
    private let list: Statement
    private let erase: Statement
    private let exists: Statement
    private let oldest: Statement

    init(_ connection: Connection) throws {
        select = try connection.prepare(
            """
            SELECT fingerprint, status, entity_tag, content, created_at, checksum FROM idempotency
            WHERE user_id = ?1 AND scope = ?2 AND key = ?3 AND created_at >= ?4
            """)
        replace = try connection.prepare(
            """
            INSERT OR REPLACE INTO idempotency
            (user_id, scope, key, fingerprint, status, entity_tag, content, created_at, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """)
        expire = try connection.prepare(
            """
            DELETE FROM idempotency WHERE rowid IN
            (SELECT rowid FROM idempotency WHERE created_at < ?1 ORDER BY created_at LIMIT ?2) RETURNING 1
            """)
        list = try connection.prepare(
            """
            SELECT fingerprint, status, entity_tag, content, created_at, checksum, scope, key FROM idempotency
            WHERE user_id = ?1 ORDER BY created_at, scope, key
            """)
        erase = try connection.prepare("DELETE FROM idempotency WHERE user_id = ?1")
        oldest = try connection.prepare("SELECT created_at FROM idempotency ORDER BY created_at LIMIT 1")
        exists = try connection.prepare("SELECT 1 FROM idempotency WHERE user_id = ?1 LIMIT 1")
    }

    /// What this request was answered before; nil where that is not known, or no longer.
    ///
    /// - Throws: `IdempotencyKeyReused`; `StoreError.damaged`.
    func answer(to request: IdempotentRequest, of user: UserID) throws -> RecordedAnswer? {
        try select.first(user.text, request.scope, request.key, request.notBefore) { row in
            try Self.record(request.scope, request.key, row).answer(to: request, of: user)
        }
    }

    /// Of a row that begins as those of `select`.
    static func record(_ scope: String, _ key: String, _ row: Row) -> RequestRow {
        RequestRow(
            scope: scope, key: key, fingerprint: row.bytes(0),
            answer: RecordedAnswer(status: Int(row.integer(1)), entityTag: row.text(2), content: row.bytes(3)),
            createdAt: row.integer(4), checksum: row.integer(5))
    }

    /// Keeps the answer. Each takes up to two that are expired away with it, so the table follows the traffic and nobody
    /// has to sweep it.
    func put(_ answer: RecordedAnswer, to request: IdempotentRequest, of user: UserID) throws {
        let row = RequestRow(answer, to: request, of: user)
        try replace.run(
            user.text, row.scope, row.key, row.fingerprint, answer.status, answer.entityTag, answer.content,
            row.createdAt, row.checksum)
        _ = try expire(before: request.notBefore, limit: 2)
    }

    /// - Returns: how many went.
    func expire(before time: Timestamp, limit: Int) throws -> Int { try expire.all(time, limit) { _ in }.count }

    func hasAny(before time: Timestamp) throws -> Bool { try oldest.first { $0.integer(0) < time } ?? false }

    /// Oldest first.
    ///
    /// - Throws: `StoreError.damaged`.
    func requests(of user: UserID) throws -> [RecordedRequest] {
        try list.all(user.text) { row in
            let (scope, key) = (row.text(6), row.text(7))
            let answer = try Self.record(scope, key, row).verifiedAnswer(of: user)
            return RecordedRequest(scope: scope, key: key, status: answer.status, recordedAt: row.integer(4))
        }
    }

    /// Whether there is a row, damaged or not.
    func holds(_ user: UserID) throws -> Bool { try exists.first(user.text) { _ in true } ?? false }

    func erase(_ user: UserID) throws { try erase.run(user.text) }
}
