/// How the content of a request comes to its handler.
package enum ContentDelivery: Sendable {
    /// With the request, once all of it is there. More octets than these are answered 413, before they are read.
    case whole(limit: Int)
    /// Piece by piece while it comes, however long it is: the handler is called when the head is there.
    case pieces(@Sendable (Request, any ContentReader) -> Answer)
}

/// Where the pieces of a content come from.
///
/// Nothing is taken from the peer but what is asked for: one that sends faster than it is read has to wait. Where the peer
/// wants to be told to go on (`Expect: 100-continue`), the first `read` before an answer tells it.
package protocol ContentReader: AnyObject, Sendable {
    /// The next octets, at least one; nil behind the last. To be called by one task at a time.
    ///
    /// - Throws: `ProtocolError` for a message that is not well formed, ends too early or does not go on;
    ///   `StreamError`. Nothing more can be read then.
    func read() async throws -> [UInt8]?
}

/// Why the content of a message, one way or the other, does not go on.
package enum StreamError: Error, Equatable {
    /// The peer has gone, was too slow, or the server has cut it off.
    case peerGone
    /// The server is shutting down; an answer may still be written to its end.
    case draining
}
