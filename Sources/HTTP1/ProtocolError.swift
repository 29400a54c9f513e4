/// Why a message was not taken. Whatever the reason, where the next request starts is not known for sure: the answer is
/// the connection's last.
package struct ProtocolError: Error, Equatable, Sendable {
    package let status: Status
    /// What is wrong, for the person who reads the answer: `Two different Content-Length values`.
    package let reason: StaticString
    /// How many there may be, where there are too many.
    package let limit: Int?

    package init(_ status: Status, _ reason: StaticString, limit: Int? = nil) {
        self.status = status
        self.reason = reason
        self.limit = limit
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.status == right.status && left.reason.description == right.reason.description && left.limit == right.limit
    }
}

extension ProtocolError {
    /// The head, or the content, did not come in time (RFC 9110 §15.5.9).
    package static let requestTimeout = Self(.requestTimeout, "The request did not arrive in time")
    /// The peer ended its side in the middle of a request (RFC 9112 §8).
    package static let incomplete = Self(.badRequest, "The request ends before it is complete")
}
