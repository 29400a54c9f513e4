/// One response as a handler gives it. The encoder adds what belongs to the message rather than to the representation:
/// `Date`, `Content-Length` or `Transfer-Encoding`, `Connection`.
package struct Response: Sendable {
    package var status: Status
    package var fields: Fields
    package var content: Content
    /// The answer to HEAD: the fields of the GET, `Content-Length` of the content, and no content on the wire.
    package var omitsContent = false
    /// Ask for the connection to be closed after this answer.
    package var closesConnection = false
    /// Sent as `X-Request-Id`.
    package var requestID: RequestID?
    /// Told when the kernel has all of it, or the connection has ended; not for a stream. The wait is that for the peer.
    package var whenSent: (@Sendable (_ waited: Duration) -> Void)?

    package enum Content: Sendable {
        case none
        case bytes([UInt8])
        /// Written piece by piece; sent chunked, or until the connection closes for HTTP/1.0.
        case stream(@Sendable (any ContentWriter) async throws -> Void)

        /// How many octets it has; nil where nobody knows before its end.
        package var count: Int? {
            switch self {
            case .none: 0
            case .bytes(let octets): octets.count
            case .stream: nil
            }
        }

        /// Of a stream, nothing.
        func append(to output: inout [UInt8]) {
            if case .bytes(let octets) = self { output.append(contentsOf: octets) }
        }
    }

    package init(_ status: Status, fields: Fields = Fields(), content: Content = .none) {
        self.status = status
        self.fields = fields
        self.content = content
    }
}

/// Where a streamed answer goes.
package protocol ContentWriter: Sendable {
    /// Sends `bytes`, waiting while the peer's buffer and the connection's budget are full.
    ///
    /// - Throws: when the peer is gone or too slow, or the server drains; the stream then ends.
    func write(_ bytes: [UInt8]) async throws
}
