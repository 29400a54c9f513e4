/// Where a server's certificate and its key are, in PEM.
package struct TLSFiles: Sendable, Equatable {
    /// The server's own certificate first, then those that lead to one which clients know.
    package var certificate: String
    /// Without a passphrase: nobody is there to be asked for it.
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// Why a certificate cannot be used, in OpenSSL's words.
package enum TLSError: Error, Equatable {
    case certificate(path: String, String)
    /// The key cannot be read, or is another certificate's.
    case key(path: String, String)
    case library(String)
    /// The server was started without TLS.
    case notInUse
}

extension TLSError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .certificate(let path, let words): "the certificate \(path) cannot be used: \(words)"
        case .key(let path, let words): "the key \(path) cannot be used: \(words)"
        case .library(let words): "TLS is not available: \(words)"
        case .notInUse: "the server was started without TLS"
        }
    }
}
