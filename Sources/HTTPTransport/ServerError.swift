internal import Glibc

/// Why a server does not start.
package enum ServerError: Error, Equatable {
    /// The text of an address, and what is allowed.
    case badAddress(String, String)
    case addressInUse(ListenAddress)
    case permissionDenied(ListenAddress)
    /// Anything else the system says of an address, in its words.
    case cannotListen(ListenAddress, String)
    case tls(TLSError)
    /// A resource of the process is used up, in the system's words.
    case system(String)

    init(_ address: ListenAddress, errno code: Int32) {
        self =
            switch code {
            case EADDRINUSE: .addressInUse(address)
            case EACCES, EPERM: .permissionDenied(address)
            default: .cannotListen(address, Self.words(code))
            }
    }

    static func words(_ code: Int32) -> String {
        var text = [CChar](repeating: 0, count: 128)
        guard strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension ServerError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .badAddress(let text, let allowed): "\(text) is no address to listen on: \(allowed)"
        case .addressInUse(let address): "\(address) is in use by another process"
        case .permissionDenied(let address): "no permission to listen on \(address)"
        case .cannotListen(let address, let words): "cannot listen on \(address): \(words)"
        case .tls(let error): "\(error)"
        case .system(let words): "cannot start the event loops: \(words)"
        }
    }
}
