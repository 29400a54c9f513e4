/// One request, whole: the head as it came, and its content with any transfer coding taken off (RFC 9112).
///
/// A value: the parser fills the same one again and again without allocating, and a handler that keeps a copy for later
/// simply has it.
package struct Request: Sendable {
    package var method: Method = .get
    package var target = RequestTarget()
    package var version: Version = .http11
    package var fields = Fields()
    package var content: [UInt8] = []

    /// When the last octet was there, by the monotonic clock.
    package var received: ContinuousClock.Instant = .now
    /// The address of the peer as text (`127.0.0.1`, `::1`); empty on a Unix socket.
    package var peer: String = ""

    package enum Version: Sendable, Equatable {
        case http10
        case http11
    }

    package init() {}
}
