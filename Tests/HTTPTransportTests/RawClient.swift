import Glibc
import HTTPTransport

/// A client that sends exactly the octets it is given, over a blocking socket, in the clear or over TLS.
final class RawClient {
    private let descriptor: Int32
    private(set) var tls: ClientTLS?
    private var buffer: [UInt8] = []

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    struct Response {
        var status: Int
        var head: String
        var content: [UInt8]

        var text: String { String(decoding: content, as: UTF8.self) }
        var closes: Bool { head.contains("\r\nConnection: close\r\n") }
    }

    /// - Parameter receiveBuffer: of the socket, in octets, for a client that reads slowly.
    init(_ address: ListenAddress, receiveBuffer: Int32? = nil) throws {
        let family =
            switch address {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case .unix, .descriptor: AF_UNIX
            }
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "no socket: \(errno)") }
        // No test waits longer than this for anything, on a machine that is busy with others either.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        guard connect(to: address) == 0 else { throw Failure(description: "cannot connect to \(address): \(errno)") }
    }

    /// Connects and shakes hands.
    convenience init(_ address: ListenAddress, tls: ClientTLS.Options, receiveBuffer: Int32? = nil) throws {
        try self.init(address, receiveBuffer: receiveBuffer)
        self.tls = try ClientTLS(descriptor, tls)
    }

    deinit {
        close(descriptor)
    }

    private func connect(to address: ListenAddress) -> Int32 {
        func connect<Address>(_ address: Address) -> Int32 {
            withUnsafeBytes(of: address) {
                Glibc.connect(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
        }
        switch address {
        case .ipv4(let host, let port):
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            inet_pton(AF_INET, host, &name.sin_addr)
            return connect(name)
        case .ipv6(let host, let port):
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            inet_pton(AF_INET6, host, &name.sin6_addr)
            return connect(name)
        case .unix(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            return connect(name)
        case .descriptor: return -1
        }
    }

    // MARK: Sending

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ octets: [UInt8]) throws {
        var sent = 0
        while sent < octets.count {
            let count = octets[sent...].withUnsafeBytes {
                tls?.send($0) ?? Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "cannot send: \(errno)") }
            sent += count
        }
    }

    /// A GET, as most tests need it.
    func get(_ path: String, fields: String = "") throws {
        try send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
    }

    func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Resets the connection when the client goes.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    // MARK: Receiving

    /// The next response whole, its content by Content-Length or chunks. A 1xx counts as one.
    func response(to method: String = "GET") throws -> Response {
        let head = try readHead()
        guard let status = Int(head.dropFirst(9).prefix(3)) else { throw Failure(description: "no status: \(head)") }
        var response = Response(status: status, head: head, content: [])
        if method == "HEAD" || status < 200 || status == 204 || status == 304 { return response }
        if head.contains("Transfer-Encoding: chunked") {
            while true {
                let chunk = try readChunk()
                if chunk.isEmpty { return response }
                response.content += chunk
            }
        }
        let length = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }.flatMap {
            Int($0.dropFirst(16))
        }
        response.content = try read(length ?? 0)
        return response
    }

    func readHead() throws -> String { String(decoding: try read(through: "\r\n\r\n"), as: UTF8.self) }

    func readChunk() throws -> [UInt8] {
        let line = String(decoding: try read(through: "\r\n").dropLast(2), as: UTF8.self)
        guard let size = Int(line, radix: 16) else { throw Failure(description: "no chunk size: \(line)") }
        defer { buffer.removeFirst(2) }
        return try Array(read(size, andKeep: 2))
    }

    /// Whether the server ends its side, and nothing comes before that.
    func isEnded() throws -> Bool {
        guard buffer.isEmpty else { return false }
        return try !receive()
    }

    /// Everything until the server ends its side.
    func readToEnd() throws -> [UInt8] {
        while try receive() {}
        defer { buffer = [] }
        return buffer
    }

    private func read(_ count: Int, andKeep more: Int = 0) throws -> [UInt8] {
        while buffer.count < count + more { try expectMore() }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    private func read(through mark: String) throws -> [UInt8] {
        let mark = Array(mark.utf8)
        while true {
            if let end = buffer.indices.first(where: { buffer[$0...].starts(with: mark) }) {
                return try read(end + mark.count)
            }
            try expectMore()
        }
    }

    private func expectMore() throws {
        guard try receive() else { throw Failure(description: "the server ended, after \(buffer.count) octets") }
    }

    private func receive() throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 65536)
        let count = tls?.receive(into: &piece) ?? recv(descriptor, &piece, piece.count, 0)
        guard count >= 0 else { throw Failure(description: "cannot receive: \(errno)") }
        buffer += piece[..<count]
        return count > 0
    }
}
