internal import CSystem
internal import Glibc

/// A listening socket, non-blocking. It is closed, and a Unix socket's file removed, when its last holder lets go.
final class Listener: Sendable {
    let socket: Socket
    /// Where it listens in fact: a port 0 is replaced by the one the system gave.
    let address: ListenAddress
    /// Whether several event loops accept from this one socket, rather than each from its own.
    let isShared: Bool
    /// Whether it is TCP: peers on other machines may come, and TLS is spoken where there is a certificate.
    let isInternet: Bool

    private init(socket: Socket, address: ListenAddress, isShared: Bool) {
        self.socket = socket
        var name = SocketAddress()
        _ = name.withMutableSockaddr { getsockname(socket.descriptor, $0, $1) }
        isInternet = name.family == AF_INET || name.family == AF_INET6
        self.address = address
        self.isShared = isShared
    }

    deinit {
        socket.close()
        if case .unix(let path) = address { unlink(path) }
    }

    enum Accepted {
        case connection(Socket, peer: String)
        case nothing
        /// No descriptor, or no memory, is left for it.
        case exhausted
    }

    func accept() -> Accepted {
        while true {
            var peer = SocketAddress()
            let descriptor = peer.withMutableSockaddr { system_accept(socket.descriptor, $0, $1) }
            let code = errno
            if descriptor >= 0 { return .connection(Socket(descriptor: descriptor), peer: peer.host) }
            switch code {
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            // The peer went away while it waited: the next one, please.
            case EINTR, ECONNABORTED, EPROTO, EPERM: continue
            default: return .nothing
            }
        }
    }
}

extension Listener {
    /// Lets nobody new stand in line, so that a moment comes in which nobody does: to close the socket over them would reset
    /// connections that their peers take for made. They try again after a second, as after any SYN that was lost.
    func endQueue() {
        // Another process may go on with a shared socket, and its filter.
        guard isInternet, !isShared else { return }
        _ = system_refuse_handshakes(socket.descriptor)
    }
}

// MARK: Opening

extension Listener {
    /// Opens what `count` event loops accept from: for TCP a socket each, between which the kernel spreads the connections
    /// (SO_REUSEPORT); else one for all.
    ///
    /// - Parameter sendBuffer: bounds what the kernel holds for a peer that does not read, in octets.
    static func open(_ address: ListenAddress, count: Int, sendBuffer: Int) throws(ServerError) -> [Listener] {
        switch address {
        case .unix(let path):
            return [try unix(path, address, sendBuffer)]
        case .descriptor(let number):
            return [try inherited(number, address, sendBuffer)]
        case .ipv4, .ipv6:
            // With SO_REUSEPORT a second server of the same user would share the port in silence. One bind without it
            // finds that out.
            Socket(descriptor: try bound(address, options: [(SOL_SOCKET, SO_REUSEADDR)])).close()
            var listeners: [Listener] = []
            for _ in 0..<count {
                // Port 0 is resolved once; the others join it.
                listeners.append(try internet(listeners.first?.address ?? address, sendBuffer))
            }
            return listeners
        }
    }

    private static func internet(_ address: ListenAddress, _ sendBuffer: Int) throws(ServerError) -> Listener {
        let descriptor = try bound(address, options: [(SOL_SOCKET, SO_REUSEADDR), (SOL_SOCKET, SO_REUSEPORT)])
        let listener = Listener(
            socket: Socket(descriptor: descriptor), address: resolved(address, descriptor), isShared: false)
        try listener.listen(sendBuffer)
        return listener
    }

    private static func unix(
        _ path: String, _ address: ListenAddress, _ sendBuffer: Int
    ) throws(ServerError)
        -> Listener
    {
        removeStale(path)
        let listener = Listener(
            socket: Socket(descriptor: try bound(address, options: [])), address: address, isShared: true)
        try listener.listen(sendBuffer)
        return listener
    }

    private static func inherited(
        _ number: Int32, _ address: ListenAddress, _ sendBuffer: Int
    ) throws(ServerError) -> Listener {
        let flags = fcntl(number, F_GETFL)
        guard flags >= 0, fcntl(number, F_SETFL, flags | O_NONBLOCK) >= 0, fcntl(number, F_SETFD, FD_CLOEXEC) >= 0
        else { throw ServerError(address, errno: errno) }
        let listener = Listener(socket: Socket(descriptor: number), address: address, isShared: true)
        try listener.listen(sendBuffer)
        return listener
    }

    /// Options that connections inherit from the socket that accepts them are set here, once.
    private func listen(_ sendBuffer: Int) throws(ServerError) {
        _ = socket.setOption(SOL_SOCKET, SO_SNDBUF, Int32(sendBuffer))
        _ = socket.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        guard Glibc.listen(socket.descriptor, 4096) == 0 else { throw ServerError(address, errno: errno) }
    }

    private static func bound(
        _ address: ListenAddress, options: [(level: Int32, name: Int32)]
    ) throws(ServerError) -> Int32 {
        guard let name = address.socketAddress else { throw .badAddress("\(address)", "it has no numeric form") }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Socket(descriptor: Glibc.socket(name.family, type, 0))
        guard socket.descriptor >= 0 else { throw ServerError(address, errno: errno) }
        for option in options { _ = socket.setOption(option.level, option.name, 1) }
        guard name.withSockaddr({ bind(socket.descriptor, $0, $1) }) == 0 else {
            let code = errno
            socket.close()
            throw ServerError(address, errno: code)
        }
        return socket.descriptor
    }

    private static func resolved(_ address: ListenAddress, _ descriptor: Int32) -> ListenAddress {
        var name = SocketAddress()
        guard name.withMutableSockaddr({ getsockname(descriptor, $0, $1) }) == 0 else { return address }
        return switch address {
        case .ipv4(let host, _): .ipv4(host: host, port: name.port)
        case .ipv6(let host, _): .ipv6(host: host, port: name.port)
        case .unix, .descriptor: address
        }
    }

    /// Removes the file that a server left behind which was killed: a socket on which nobody listens any more.
    private static func removeStale(_ path: String) {
        guard let name = SocketAddress(unix: path) else { return }
        let probe = Socket(descriptor: Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        guard probe.descriptor >= 0 else { return }
        defer { probe.close() }
        let refused = name.withSockaddr { connect(probe.descriptor, $0, $1) } != 0 && errno == ECONNREFUSED
        if refused { unlink(path) }
    }
}

extension ListenAddress {
    fileprivate var socketAddress: SocketAddress? {
        switch self {
        case .ipv4(let host, let port): SocketAddress(ipv4: host, port: port)
        case .ipv6(let host, let port): SocketAddress(ipv6: host, port: port)
        case .unix(let path): SocketAddress(unix: path)
        case .descriptor: nil
        }
    }
}
