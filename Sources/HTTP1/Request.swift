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

    /// When the last octet was there.
    package var received = Instant(nanoseconds: 0)
    /// How long it lay there before its connection's turn came, in nanoseconds.
    package var queued: Int64 = 0
    /// Tells it from every other request, of other processes too as good as surely.
    package var number: UInt64 = 0
    /// The address of the peer as text (`127.0.0.1`, `::1`); empty on a Unix socket.
    package var peer: String = ""

    package enum Version: Sendable, Equatable {
        case http10
        case http11
    }

    package init() {}

    /// A request made by hand, as tests need it.
    package init(
        _ method: Method, _ target: String, fields: Fields = Fields(), content: [UInt8] = []
    ) throws(ProtocolError) {
        self.method = method
        self.target = try RequestTarget(target, for: method)
        self.fields = fields
        self.content = content
    }

    /// The content that has come so far. None of it stays here.
    package mutating func takeContent() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &content)
        return taken
    }

    /// Makes room for the next request, and keeps the memory of this one.
    mutating func removeAll() {
        fields.removeAll()
        target.removeAll()
        if !content.isEmpty { content.removeAll(keepingCapacity: true) }
    }
}
