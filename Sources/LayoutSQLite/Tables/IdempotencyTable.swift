import LayoutApplication
import LayoutModel

/// `idempotency`: what a repeated request is answered.
struct IdempotencyTable {
    private let select: Statement
    private let replace: Statement
    private let expire: Statement
    private let list: Statement
    private let erase: Statement

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
            "SELECT scope, key, status, created_at FROM idempotency WHERE user_id = ?1 ORDER BY created_at, scope, key")
        erase = try connection.prepare("DELETE FROM idempotency WHERE user_id = ?1")
    }

    /// What this request was answered before; nil where that is not known, or no longer.
    ///
    /// - Throws: `IdempotencyKeyReused`; `StoreError.damaged`.
    func answer(to request: IdempotentRequest, of user: UserID) throws -> RecordedAnswer? {
        try select.first(user.text, request.scope, request.key, request.notBefore) { row in
            let fingerprint = row.bytes(0)
            let answer = RecordedAnswer(status: Int(row.integer(1)), entityTag: row.text(2), content: row.bytes(3))
            let checksum = Self.checksum(user, request, fingerprint, answer, createdAt: row.integer(4))
            try verified(checksum, row.integer(5), "idempotency record of \(user)") {}
            guard fingerprint == request.fingerprint else { throw IdempotencyKeyReused() }
            return answer
        }
    }

    /// Keeps the answer. Each takes up to two that are expired away with it, so the table follows the traffic and nobody
    /// has to sweep it.
    func put(_ answer: RecordedAnswer, to request: IdempotentRequest, of user: UserID) throws {
        let checksum = Self.checksum(user, request, request.fingerprint, answer, createdAt: request.now)
        try replace.run(
            user.text, request.scope, request.key, request.fingerprint, answer.status, answer.entityTag, answer.content,
            request.now, checksum)
        _ = try expire(before: request.notBefore, limit: 2)
    }

    /// - Returns: how many went.
    func expire(before time: Timestamp, limit: Int) throws -> Int { try expire.all(time, limit) { _ in }.count }

    func requests(of user: UserID) throws -> [RecordedRequest] {
        try list.all(user.text) {
            RecordedRequest(
                scope: $0.text(0), key: $0.text(1), status: Int($0.integer(2)), recordedAt: $0.integer(3))
        }
    }

    func erase(_ user: UserID) throws { try erase.run(user.text) }

    private static func checksum(
        _ user: UserID, _ request: IdempotentRequest, _ fingerprint: [UInt8], _ answer: RecordedAnswer,
        createdAt: Timestamp
    ) -> Int64 {
        RowChecksum.of(
            "idempotency", user.text, request.scope, request.key, fingerprint, answer.status, answer.entityTag,
            answer.content, createdAt)
    }
}
