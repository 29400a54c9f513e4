import COpenSSL
import Glibc
import HTTPTransport

/// The client's side of TLS on a blocking socket, by OpenSSL.
final class ClientTLS {
    private let context: OpaquePointer
    private let session: OpaquePointer

    struct Options {
        var versions = TLS1_2_VERSION...TLS1_3_VERSION
        /// For ALPN; nobody is asked when it is empty.
        var protocols = ["http/1.1"]
        /// The one certificate to trust; any will do when it is nil.
        var trusted: TestCertificate?
    }

    init(_ descriptor: Int32, _ options: Options) throws {
        context = SSL_CTX_new(TLS_client_method())
        // Whatever it is told to offer, it offers; and a missing close_notify is an error here.
        SSL_CTX_set_security_level(context, 0)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(options.versions.lowerBound), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(options.versions.upperBound), nil)
        if let trusted = options.trusted {
            SSL_CTX_load_verify_file(context, trusted.files.certificate)
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        }
        session = SSL_new(context)
        let offered = options.protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !offered.isEmpty { SSL_set_alpn_protos(session, offered, UInt32(offered.count)) }
        SSL_set_fd(session, descriptor)
        ERR_clear_error()
        guard SSL_connect(session) == 1 else {
            throw RawClient.Failure(description: "no handshake: \(String(cString: tls_reason()))")
        }
    }

    deinit {
        SSL_free(session)
        SSL_CTX_free(context)
    }

    /// `TLSv1.3`.
    var version: String { String(cString: SSL_get_version(session)) }

    /// What ALPN has chosen.
    var chosenProtocol: String {
        var text: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(session, &text, &count)
        return String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }

    func send(_ octets: UnsafeRawBufferPointer) -> Int {
        ERR_clear_error()
        return Int(SSL_write(session, octets.baseAddress, Int32(octets.count)))
    }

    /// - Returns: 0 for close_notify, less for any other end.
    func receive(into room: inout [UInt8]) -> Int {
        ERR_clear_error()
        let count = SSL_read(session, &room, Int32(room.count))
        if count > 0 { return Int(count) }
        return SSL_get_error(session, count) == SSL_ERROR_ZERO_RETURN ? 0 : -1
    }

    /// Ends our side: close_notify.
    func sayEnd() { SSL_shutdown(session) }
}
