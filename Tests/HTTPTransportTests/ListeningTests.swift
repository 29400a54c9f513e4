import Glibc
import HTTP1
import HTTPTransport
import Testing

struct ListeningTests {
    @Test(arguments: [
        ("127.0.0.1:8080", ListenAddress.ipv4(host: "127.0.0.1", port: 8080)),
        ("localhost:0", .ipv4(host: "127.0.0.1", port: 0)),
        ("[::]:443", .ipv6(host: "::", port: 443)),
        ("unix:/run/p.sock", .unix(path: "/run/p.sock")),
        ("fd:3", .descriptor(3)),
    ])
    func anAddressIsReadFromText(text: String, address: ListenAddress) throws {
        #expect(try ListenAddress(text) == address)
    }

    @Test(arguments: ["", "8080", "host:80", "1.2.3.4", "1.2.3.4:65536", "[::g]:1", "::1:80", "unix:", "fd:x", "fd:-1"])
    func aTextThatIsNoneSaysWhatIsAllowed(text: String) {
        #expect {
            try ListenAddress(text)
        } throws: { error in
            "\(error)".contains("is no address to listen on: ")
        }
    }

    private func expectAnswer(from address: ListenAddress) throws {
        let client = try RawClient(address)
        try client.get("/x")
        #expect(try client.response().text == "/x")
    }

    @Test func aServerListensOnIPv6() async throws {
        try await withServer(echo, configured { $0.addresses = [.ipv6(host: "::1", port: 0)] }) { _, address in
            #expect(address.port != 0)
            try expectAnswer(from: address)
        }
    }

    @Test(arguments: [1, 2])
    func aServerListensOnAUnixSocketAndTakesItsFileAway(eventLoops: Int) async throws {
        let path = "/tmp/pegboard-test-\(getpid())-\(eventLoops).sock"
        let configuration = configured {
            $0.addresses = [.unix(path: path)]
            $0.eventLoops = eventLoops
        }
        try await withServer(echo, configuration) { _, address in
            for _ in 0..<10 { try expectAnswer(from: address) }
        }
        #expect(soon { access(path, F_OK) != 0 })
    }

    @Test func aStaleSocketFileIsReplacedAndALiveOneIsNot() async throws {
        let path = "/tmp/pegboard-test-\(getpid())-stale.sock"
        let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafeBytes(of: name) {
            bind(stale, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        close(stale)
        #expect(bound == 0)
        try await withServer(echo, configured { $0.addresses = [.unix(path: path)] }) { _, address in
            try expectAnswer(from: address)
            var configuration = ServerConfiguration()
            configuration.addresses = [address]
            #expect(throws: ServerError.addressInUse(address)) {
                try Server(configuration: configuration, handler: echo).start()
            }
            try expectAnswer(from: address)
        }
    }

    @Test func aPortThatIsTakenIsNotShared() async throws {
        try await withServer { _, address in
            var configuration = ServerConfiguration()
            configuration.addresses = [address]
            #expect(throws: ServerError.addressInUse(address)) {
                try Server(configuration: configuration, handler: echo).start()
            }
        }
    }

    @Test func anInheritedSocketIsUsed() async throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length)
                listen(descriptor, 16)
                getsockname(descriptor, pointer, &length)
            }
        }
        let port = UInt16(bigEndian: name.sin_port)
        try await withServer(echo, configured { $0.addresses = [.descriptor(descriptor)] }) { _, _ in
            try expectAnswer(from: .ipv4(host: "127.0.0.1", port: port))
        }
    }
}
