package import LayoutModel

/// A request that its client may repeat (`Idempotency-Key`).
package struct IdempotentRequest: Sendable, Equatable {
    /// Method and path: a key means one thing in one place.
    package var scope: String
    package var key: String
    /// Tells this request's content from another's.
    package var fingerprint: [UInt8]
    /// Records older than this are as good as absent.
    package var notBefore: Timestamp
    package var now: Timestamp

    package init(scope: String, key: String, fingerprint: [UInt8], notBefore: Timestamp, now: Timestamp) {
        self.scope = scope
        self.key = key
        self.fingerprint = fingerprint
        self.notBefore = notBefore
        self.now = now
    }
}

/// The first answer to a request, as it went out.
package struct RecordedAnswer: Sendable, Equatable {
    package var status: Int
    package var entityTag: String
    package var content: [UInt8]

    package init(status: Int, entityTag: String, content: [UInt8]) {
        self.status = status
        self.entityTag = entityTag
        self.content = content
    }
}

/// A request whose answer is kept, without the answer.
package struct RecordedRequest: Sendable, Equatable {
    package var scope: String
    package var key: String
    package var status: Int
    package var recordedAt: Timestamp

    package init(scope: String, key: String, status: Int, recordedAt: Timestamp) {
        self.scope = scope
        self.key = key
        self.status = status
        self.recordedAt = recordedAt
    }
}

/// How an `update` ended.
package enum Settled<Value: Sendable>: Sendable {
    case decided(Value)
    /// The request had been answered before.
    case replayed(RecordedAnswer)
}

/// The key was used before for a request with another content.
package struct IdempotencyKeyReused: Error, Equatable {
    package init() {}
}
