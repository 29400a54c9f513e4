internal import Glibc

/// One blocking GET, for a health check in an image that has no curl.
package enum HealthProbe {
    /// - Parameters:
    ///   - isSecure: TLS is spoken. Whose certificate is shown does not matter: the question is whether somebody answers.
    ///   - timeout: for connecting, for sending and for each wait for octets.
    /// - Returns: the status code; nil where there is no answer, or none that is HTTP.
    package static func status(
        of path: String, at address: ListenAddress, isSecure: Bool = false, within timeout: Duration
    ) -> Int? {
        guard let socket = connect(to: address, within: timeout) else { return nil }
        defer { socket.close() }
        var session: TLSSession?
        if isSecure {
            session = (try? TLSContext.probe()).flatMap { TLSSession($0, socket, as: .client) }
            guard let session, session.shakeHands(readsToEnd: true) == .done else { return nil }
        }
        return status(
            of: path, send: { session?.send($0) ?? socket.send($0) },
            receive: { session?.receive(into: $0, readsToEnd: true) ?? socket.receive(into: $0) })
    }

    private static func status(
        of path: String, send: (UnsafeRawBufferPointer) -> Socket.Transfer,
        receive: (UnsafeMutableRawBufferPointer) -> Socket.Transfer
    ) -> Int? {
        let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
        guard request.withUnsafeBytes(send) == .octets(request.count) else { return nil }
        var answer: [UInt8] = []
        while answer.count < 12 {
            let got = withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer -> Int in
                guard case .octets(let count) = receive(buffer) else { return 0 }
                answer.append(contentsOf: buffer[..<count])
                return count
            }
            if got == 0 { return nil }
        }
        // RFC 9112 §4: `HTTP/1.1 200`.
        guard answer.starts(with: "HTTP/1.1 ".utf8) else { return nil }
        return Int(String(decoding: answer[9..<12], as: UTF8.self))
    }

    private static func connect(to address: ListenAddress, within timeout: Duration) -> Socket? {
        guard let peer = reachable(address) else { return nil }
        let descriptor = Glibc.socket(peer.family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var limit = timeval(tv_sec: Int(timeout.components.seconds), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        guard peer.withSockaddr({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            return nil
        }
        return Socket(descriptor: descriptor)
    }

    /// Who listens on every address is asked on the loopback one.
    private static func reachable(_ address: ListenAddress) -> SocketAddress? {
        switch address {
        case .ipv4(let host, let port): SocketAddress(ipv4: host == "0.0.0.0" ? "127.0.0.1" : host, port: port)
        case .ipv6(let host, let port): SocketAddress(ipv6: host == "::" ? "::1" : host, port: port)
        case .unix(let path): SocketAddress(unix: path)
        case .descriptor: nil
        }
    }
}
