internal import Glibc

/// A `sockaddr` of any family, with its length.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    /// Room for an address that a system call fills in.
    init() {}

    /// - Returns: nil when `host` is no numeric address.
    init?(ipv4 host: String, port: UInt16) {
        var address = sockaddr_in()
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return nil }
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        self.init(address)
    }

    /// - Returns: nil when `host` is no numeric address.
    init?(ipv6 host: String, port: UInt16) {
        var address = sockaddr_in6()
        guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return nil }
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        self.init(address)
    }

    /// - Returns: nil when `path` is longer than the system's 107 octets.
    init?(unix path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard !path.isEmpty, path.utf8.count < room.count else { return false }
            room.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { return nil }
        self.init(address)
    }

    private init<Address>(_ address: Address) {
        length = socklen_t(MemoryLayout<Address>.size)
        withUnsafeMutableBytes(of: &storage) { room in
            withUnsafeBytes(of: address) { room.copyMemory(from: $0) }
        }
    }

    var family: Int32 { Int32(storage.ss_family) }

    /// The port of an internet address; 0 otherwise.
    var port: UInt16 {
        switch family {
        case AF_INET: UInt16(bigEndian: read(sockaddr_in.self).sin_port)
        case AF_INET6: UInt16(bigEndian: read(sockaddr_in6.self).sin6_port)
        default: 0
        }
    }

    /// The host as text, an IPv4 address that came over IPv6 as IPv4; empty for a Unix socket.
    var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch family {
        case AF_INET:
            var address = read(sockaddr_in.self).sin_addr
            inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
        case AF_INET6:
            var address = read(sockaddr_in6.self).sin6_addr
            inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
        default: return ""
        }
        let host = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return host.hasPrefix("::ffff:") && host.contains(".") ? String(host.dropFirst(7)) : host
    }

    private func read<Address>(_ type: Address.Type) -> Address {
        withUnsafeBytes(of: storage) { $0.loadUnaligned(as: type) }
    }

    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    mutating func withMutableSockaddr<Result>(
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
    }
}
