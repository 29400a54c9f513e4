/// Why a message was not taken. Whatever the reason, where the next request starts is not known for sure: the answer is
/// the connection's last.
package struct ProtocolError: Error, Equatable, Sendable {
    package let status: Status
    /// What is wrong, for the person who reads the answer: `Two different Content-Length values`.
    package let reason: StaticString

    package init(_ status: Status, _ reason: StaticString) {
        self.status = status
        self.reason = reason
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.status == right.status && left.reason.description == right.reason.description
    }
}
