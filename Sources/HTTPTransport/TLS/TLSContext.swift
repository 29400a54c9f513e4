internal import COpenSSL

/// A certificate with its key, and how it is spoken: TLS 1.2 and 1.3, HTTP/1.1 by ALPN. It never changes: a new
/// certificate is a new context, and the sessions of an old one keep that alive.
final class TLSContext {
    fileprivate let pointer: OpaquePointer
    /// How a session gets at its socket.
    fileprivate let wire: OpaquePointer

    private init(_ pointer: OpaquePointer?) throws(TLSError) {
        guard let pointer else { throw .library(String(cString: tls_reason())) }
        guard let wire = tls_wire_method() else {
            SSL_CTX_free(pointer)
            throw .library("no memory")
        }
        self.pointer = pointer
        self.wire = wire
    }

    deinit {
        SSL_CTX_free(pointer)
        BIO_meth_free(wire)
    }

    /// Reads both files. Blocks for as long as that takes.
    convenience init(_ files: TLSFiles) throws(TLSError) {
        try self.init(tls_server_context())
        guard tls_use_certificate(pointer, files.certificate) else {
            throw .certificate(path: files.certificate, String(cString: tls_reason()))
        }
        guard tls_use_key(pointer, files.key) else { throw .key(path: files.key, String(cString: tls_reason())) }
    }

    /// For a client that asks whether somebody answers, and takes whatever certificate that one shows.
    static func probe() throws(TLSError) -> TLSContext { try TLSContext(tls_probe_context()) }

    /// How long it is until the certificate is valid; negative where it has been for that long.
    var timeToGo: Duration { .seconds(tls_seconds_before(pointer)) }

    /// How long the certificate is valid from now on; negative where it has expired.
    var timeLeft: Duration { .seconds(tls_seconds_left(pointer)) }
}

// @unchecked: OpenSSL counts references and locks inside; nothing is set any more once `init` has returned.
extension TLSContext: @unchecked Sendable {}

/// The TLS side of one connection. It reads from and writes to the socket itself, and never waits.
final class TLSSession {
    private let pointer: OpaquePointer
    /// Its sessions stand on the context's `wire`.
    private let context: TLSContext

    /// Whether reading has met the peer's end, or an error: the next read says which.
    private(set) var hasEndInSight = false
    private var isBroken = false
    private var hasSaidEnd = false

    enum Side { case server, client }

    /// - Returns: nil when no memory is left.
    init?(_ context: TLSContext, _ socket: Socket, as side: Side = .server) {
        guard let pointer = tls_session(context.pointer, context.wire, socket.descriptor, side == .server) else {
            return nil
        }
        self.pointer = pointer
        self.context = context
    }

    deinit {
        SSL_free(pointer)
    }

    enum Handshake { case done, wouldBlock, failed }

    /// Goes on with the handshake. To be called again at each change of the socket until it is done.
    ///
    /// - Parameter readsToEnd: the peer's end stands behind what is there to read.
    func shakeHands(readsToEnd: Bool) -> Handshake {
        switch tls_handshake(pointer, readsToEnd) {
        case tls_done: return .done
        case tls_blocked: return .wouldBlock
        default:
            isBroken = true
            return .failed
        }
    }

    /// As `Socket.receive`; but the buffer is filled as far as there is something to fill it with.
    func receive(into buffer: UnsafeMutableRawBufferPointer, readsToEnd: Bool) -> Socket.Transfer {
        var stopped = tls_done
        let room = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let count = tls_receive(pointer, room, buffer.count, readsToEnd, &stopped)
        hasEndInSight = stopped == tls_ended || stopped == tls_failed
        if stopped == tls_failed { isBroken = true }
        if count > 0 { return .octets(count) }
        return switch stopped {
        case tls_ended: .end
        case tls_failed: .failed
        default: .wouldBlock
        }
    }

    /// Sends one record at most. What would block has to come again, with more behind it or not, at this place in memory or
    /// another.
    func send(_ buffer: UnsafeRawBufferPointer) -> Socket.Transfer {
        var stopped = tls_done
        let count = tls_send(
            pointer, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count, &stopped)
        if count > 0 { return .octets(count) }
        if stopped == tls_blocked { return .wouldBlock }
        isBroken = true
        return .failed
    }

    /// Says that nothing more comes (close_notify), so that the peer knows it has everything.
    ///
    /// - Returns: false when the socket does not take it now: to be called again when it does.
    func sayEnd() -> Bool {
        // After an error OpenSSL must not be asked to: RFC 8446 §6.2.
        guard !isBroken, !hasSaidEnd else { return true }
        let outcome = tls_say_end(pointer)
        hasSaidEnd = outcome != tls_blocked
        return hasSaidEnd
    }
}
