package import LayoutApplication
package import LayoutModel

/// One row of `idempotency`: what a repeated request is answered.
package struct RequestRow: Sendable {
    package var scope: String
    package var key: String
    package var fingerprint: [UInt8]
    package var answer: RecordedAnswer
    package var createdAt: Timestamp
    package var checksum: Int64

    /// As it was read.
    package init(
        scope: String, key: String, fingerprint: [UInt8], answer: RecordedAnswer, createdAt: Timestamp, checksum: Int64
    ) {
        self.scope = scope
        self.key = key
        self.fingerprint = fingerprint
        self.answer = answer
        self.createdAt = createdAt
        self.checksum = checksum
    }

    /// To be written.
    package init(_ answer: RecordedAnswer, to request: IdempotentRequest, of user: UserID) {
        self.init(
            scope: request.scope, key: request.key, fingerprint: request.fingerprint, answer: answer,
            createdAt: request.now, checksum: 0)
        checksum = computedChecksum(of: user)
    }

    /// What `request`, which has this row's key, was answered.
    ///
    /// - Throws: `IdempotencyKeyReused`; `StoreError.damaged`.
    package func answer(to request: IdempotentRequest, of user: UserID) throws -> RecordedAnswer {
        let answer = try verifiedAnswer(of: user)
        guard fingerprint == request.fingerprint else { throw IdempotencyKeyReused() }
        return answer
    }

    /// - Throws: `StoreError.damaged`.
    package func verifiedAnswer(of user: UserID) throws -> RecordedAnswer {
        try verified(computedChecksum(of: user), checksum, "idempotency record of \(user)") { answer }
    }

    private func computedChecksum(of user: UserID) -> Int64 {
        RowChecksum.of("idempotency") { sum in
            sum.add(user.text)
            sum.add(scope)
            sum.add(key)
            sum.add(fingerprint)
            sum.add(answer.status)
            sum.add(answer.entityTag)
            sum.add(answer.content)
            sum.add(createdAt)
        }
    }
}
