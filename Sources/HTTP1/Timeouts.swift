/// How long each phase of a connection may last.
package struct Timeouts: Sendable, Equatable {
    /// From the first octet of a head to its last; then 408. Octets that trickle in don't move it.
    package var head: Duration = .seconds(10)
    /// From the end of a head to the end of its content; then 408. Where the handler takes the content in pieces, how far
    /// what it waits for may fall behind `contentRate`.
    package var content: Duration = .seconds(30)
    /// How many octets a second content in pieces has to bring while its handler waits: else whoever sends one now and
    /// then would hold a request for ever.
    package var contentRate = 1024
    /// Between requests; then the connection is closed without a word.
    package var idle: Duration = .seconds(75)
    /// For all that is waiting to be sent to be sent; a peer that reads slower is cut off. It bounds a whole answer
    /// rather than the time between two octets.
    package var write: Duration = .seconds(30)
    /// How long the peer may go on sending after the last answer, so that it reads that answer (RFC 9112 §9.6).
    package var linger: Duration = .seconds(2)
    /// How long an idle connection is still served while the server drains.
    package var drainGrace: Duration = .milliseconds(750)

    package init() {}
}
