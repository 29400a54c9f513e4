/// Where a server listens.
package enum ListenAddress: Sendable, Equatable {
    case ipv4(host: String, port: UInt16)
    case ipv6(host: String, port: UInt16)
    case unix(path: String)
    /// A socket that listens already, handed over by systemd or a parent process.
    case descriptor(Int32)

    /// How one is written, for whoever wrote something else.
    package static let allowed = "HOST:PORT, [IPV6]:PORT, unix:PATH or fd:N, where a port is 0 to 65535"

    /// Reads `127.0.0.1:8080`, `[::]:8080`, `localhost:0`, `unix:/run/pegboard.sock` or `fd:3`.
    package init(_ text: String) throws(ServerError) {
        if text.hasPrefix("unix:") {
            self = .unix(path: String(text.dropFirst(5)))
            guard SocketAddress(unix: String(text.dropFirst(5))) != nil else {
                throw .badAddress(text, "a path of 1 to 107 octets has to follow unix:")
            }
        } else if text.hasPrefix("fd:") {
            guard let number = Int32(text.dropFirst(3)), number >= 0 else {
                throw .badAddress(text, "the number of a descriptor has to follow fd:")
            }
            self = .descriptor(number)
        } else {
            self = try Self.internet(text)
        }
    }

    private static func internet(_ text: String) throws(ServerError) -> Self {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw .badAddress(text, "it is \(allowed)")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard SocketAddress(ipv6: host, port: port) != nil else {
                throw .badAddress(text, "what stands in brackets is a numeric IPv6 address")
            }
            return .ipv6(host: host, port: port)
        }
        if host == "localhost" { host = "127.0.0.1" }
        guard SocketAddress(ipv4: host, port: port) != nil else {
            throw .badAddress(text, "a host is localhost, a numeric IPv4 address, or an IPv6 address in brackets")
        }
        return .ipv4(host: host, port: port)
    }

    /// Whether only this machine can reach it. Of a descriptor that is not known.
    package var isLoopback: Bool {
        switch self {
        case .ipv4(let host, _): host.hasPrefix("127.")
        case .ipv6(let host, _): host == "::1"
        case .unix: true
        case .descriptor: false
        }
    }

    /// The TCP port, where there is one.
    package var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, let port): port
        case .unix, .descriptor: nil
        }
    }
}

extension ListenAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ipv4(let host, let port): "\(host):\(port)"
        case .ipv6(let host, let port): "[\(host)]:\(port)"
        case .unix(let path): "unix:\(path)"
        case .descriptor(let number): "fd:\(number)"
        }
    }
}
