import COpenSSL
import Glibc
import HTTP1
import HTTPTransport
import Testing

private func secure(_ change: (inout ServerConfiguration) -> Void = { _ in }) -> ServerConfiguration {
    configured {
        $0.tls = TestCertificate.first.files
        change(&$0)
    }
}

private let trusting = ClientTLS.Options(trusted: .first)

struct TLSTests {
    // MARK: The handshake

    @Test(arguments: [(TLS1_2_VERSION, "TLSv1.2"), (TLS1_3_VERSION, "TLSv1.3")])
    func bothVersionsAreSpoken(version: Int32, name: String) async throws {
        try await withServer(echo, secure()) { _, address in
            let options = ClientTLS.Options(versions: version...version, trusted: .first)
            let client = try RawClient(address, tls: options)
            #expect(client.tls?.version == name)
            #expect(client.tls?.chosenProtocol == "http/1.1")
            for path in ["/a", "/b"] {
                try client.get(path)
                #expect(try client.response().text == path)
            }
        }
    }

    @Test func olderVersionsAreRefusedAndDoNoHarm() async throws {
        try await withServer(echo, secure()) { server, address in
            for version in [TLS1_VERSION, TLS1_1_VERSION] {
                let options = ClientTLS.Options(versions: version...version)
                #expect(throws: RawClient.Failure.self) { try RawClient(address, tls: options) }
            }
            #expect(soon { server.counters.open == 0 })
            let client = try RawClient(address, tls: trusting)
            try client.get("/after")
            #expect(try client.response().text == "/after")
        }
    }

    @Test(arguments: [([], ""), (["h2", "http/1.1"], "http/1.1")])
    func aClientThatDoesNotAskForAProtocolGetsHTTP11(offered: [String], chosen: String) async throws {
        try await withServer(echo, secure()) { _, address in
            let client = try RawClient(address, tls: .init(protocols: offered))
            #expect(client.tls?.chosenProtocol == chosen)
            try client.get("/a")
            #expect(try client.response().text == "/a")
        }
    }

    @Test func aClientThatSpeaksOnlyAnotherProtocolIsTurnedAway() async throws {
        try await withServer(echo, secure()) { _, address in
            #expect(throws: RawClient.Failure.self) { try RawClient(address, tls: .init(protocols: ["h2"])) }
        }
    }

    @Test(arguments: ["", "\u{16}\u{3}\u{1}"])
    func aHandshakeThatDoesNotEndIsClosedWithoutAWord(begun: String) async throws {
        try await withServer(echo, secure { $0.timeouts.head = .milliseconds(100) }) { _, address in
            let client = try RawClient(address)
            try client.send(begun)
            #expect(try client.isEnded())
        }
    }

    @Test func afterTheHandshakeTheIdleTimeRuns() async throws {
        let configuration = secure {
            $0.timeouts.head = .seconds(1)
            $0.timeouts.idle = .seconds(60)
        }
        try await withServer(echo, configuration) { _, address in
            let client = try RawClient(address, tls: trusting)
            // That nothing happens shows only after the time in which it would have.
            usleep(1_200_000)
            try client.get("/a")
            #expect(try client.response().text == "/a")
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{3}\u{1}\0\u{5}hello", "\n\n\n\n\n\n\n\n"])
    func whatIsNoTLSIsClosedAndDoesNoHarm(text: String) async throws {
        try await withServer(echo, secure()) { server, address in
            let stranger = try RawClient(address)
            try stranger.send(text)
            let answer = (try? stranger.readToEnd()) ?? []
            #expect(!answer.starts(with: Array("HTTP".utf8)))
            #expect(soon { server.counters.open == 0 })
            let client = try RawClient(address, tls: trusting)
            try client.get("/after")
            #expect(try client.response().text == "/after")
        }
    }

    @Test func aCrowdAtTheDoorIsLetInInTheEnd() async throws {
        try await withServer(echo, secure()) { _, address in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let client = try RawClient(address, tls: trusting)
                        try client.get("/\(number)")
                        #expect(try client.response().text == "/\(number)")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func aUnixSocketBesideItIsPlain() async throws {
        let path = "/tmp/pegboard-test-\(getpid())-tls.sock"
        try await withServer(echo, secure { $0.addresses.append(.unix(path: path)) }) { _, address in
            let plain = try RawClient(.unix(path: path))
            try plain.get("/plain")
            #expect(try plain.response().text == "/plain")
            let client = try RawClient(address, tls: trusting)
            try client.get("/secure")
            #expect(try client.response().text == "/secure")
        }
    }

    @Test func aHealthCheckTakesAnyCertificate() async throws {
        try await withServer(echo, secure()) { _, address in
            #expect(HealthProbe.status(of: "/a", at: address, isSecure: true, within: .seconds(30)) == 200)
            #expect(HealthProbe.status(of: "/a", at: address, within: .seconds(30)) == nil)
        }
        try await withServer { _, address in
            #expect(HealthProbe.status(of: "/a", at: address, within: .seconds(30)) == 200)
            #expect(HealthProbe.status(of: "/a", at: address, isSecure: true, within: .seconds(30)) == nil)
        }
    }

    @Test func whoIsTooManyIsToldByAnAlert() async throws {
        try await withServer(echo, secure { $0.maxConnections = 1 }) { server, address in
            let first = try RawClient(address, tls: trusting)
            #expect(throws: RawClient.Failure.self) { try RawClient(address, tls: trusting) }
            #expect(server.counters.refused == 1)
            try first.get("/a")
            #expect(try first.response().text == "/a")
        }
    }

    // MARK: Octets

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        let handler = ClosureHandler { request in
            let path = request.target.pathString ?? ""
            guard path.hasSuffix("7") else { return .now(.text(path)) }
            return .later {
                try? await Task.sleep(for: .milliseconds(2))
                return .text(path)
            }
        }
        try await withServer(handler, secure()) { _, address in
            let client = try RawClient(address, tls: trusting)
            let paths = (0..<500).map { "/\($0)" }
            try client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            for path in paths { #expect(try client.response().text == path) }
        }
    }

    @Test func aRequestMayComeInAsManyRecordsAsItHasOctets() async throws {
        let handler = ClosureHandler { .now(.text(String(decoding: $0.content, as: UTF8.self))) }
        try await withServer(handler, secure()) { _, address in
            let client = try RawClient(address, tls: trusting)
            let request = "PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
            for octet in request.utf8 { try client.send([octet]) }
            #expect(try client.response().text == "hello")
        }
    }

    @Test func contentOfSeveralRecordsArrives() async throws {
        let content = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let handler = ClosureHandler { .now(Response(.ok, content: .bytes($0.content))) }
        try await withServer(handler, secure()) { _, address in
            let client = try RawClient(address, tls: trusting)
            try client.send(
                Array("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(content.count)\r\n\r\n".utf8) + content)
            #expect(try client.response().content == content)
        }
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func aLargeAnswerArrivesWholeThoughTheClientReadsSlowly(version: Int32) async throws {
        let content = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 13) }
        let handler = ClosureHandler { _ in .now(Response(.ok, content: .bytes(content))) }
        try await withServer(handler, secure { $0.sendBuffer = 8 * 1024 }) { _, address in
            let options = ClientTLS.Options(versions: version...version)
            let client = try RawClient(address, tls: options, receiveBuffer: 4096)
            try client.get("/")
            #expect(try client.response().content == content)
            try client.get("/", fields: "Connection: close\r\n")
            #expect(try client.response().content == content)
            #expect(try client.isEnded())
        }
    }

    @Test func morePipelinedAnswersThanTheBudgetAllArrive() async throws {
        let large = Response(.ok, content: .bytes([UInt8](repeating: 120, count: 50_000)))
        let configuration = secure { $0.outputBudget = 64 * 1024 }
        try await withServer(ClosureHandler { _ in .now(large) }, configuration) { _, address in
            let client = try RawClient(address, tls: trusting, receiveBuffer: 4096)
            try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 100))
            for _ in 0..<100 { #expect(try client.response().content.count == 50_000) }
        }
    }

    @Test func aStreamComesPieceByPiece() async throws {
        let handler = ClosureHandler { _ in
            .now(
                Response(
                    .ok,
                    content: .stream { writer in
                        for number in 1...5 {
                            try await writer.write(Array("piece \(number)".utf8))
                            try await Task.sleep(for: .milliseconds(2))
                        }
                    }))
        }
        try await withServer(handler, secure()) { _, address in
            let client = try RawClient(address, tls: trusting)
            try client.get("/")
            _ = try client.readHead()
            for number in 1...5 { #expect(try client.readChunk() == Array("piece \(number)".utf8)) }
            #expect(try client.readChunk() == [])
            try client.get("/again")
            #expect(try client.response().status == 200)
        }
    }

    @Test func aPeerThatDoesNotReadIsCutOff() async throws {
        let large = Response(.ok, content: .bytes([UInt8](repeating: 120, count: 8_000_000)))
        let configuration = secure { $0.timeouts.write = .milliseconds(100) }
        try await withServer(ClosureHandler { _ in .now(large) }, configuration) { server, address in
            let client = try RawClient(address, tls: trusting, receiveBuffer: 4096)
            try client.get("/")
            #expect(try client.readHead().hasPrefix("HTTP/1.1 200"))
            #expect(soon { server.counters.open == 0 })
        }
    }

    // MARK: The end

    @Test func theLastAnswerIsFollowedByCloseNotify() async throws {
        try await withServer(echo, secure()) { _, address in
            let client = try RawClient(address, tls: trusting)
            try client.get("/", fields: "Connection: close\r\n")
            #expect(try client.response().closes)
            // For this client an end without close_notify is a failure, not an end.
            #expect(try client.isEnded())
        }
    }

    @Test func anIdleConnectionEndsWithCloseNotify() async throws {
        try await withServer(echo, secure { $0.timeouts.idle = .milliseconds(100) }) { _, address in
            let client = try RawClient(address, tls: trusting)
            #expect(try client.isEnded())
        }
    }

    @Test func aPartOfAStreamIsNotTakenForTheWhole() async throws {
        let handler = ClosureHandler { _ in
            .now(
                Response(
                    .ok,
                    content: .stream { writer in
                        try await writer.write(Array("first".utf8))
                        try await Task.sleep(for: .milliseconds(5))
                        try await writer.write(Array("second".utf8))
                        throw StreamError.peerGone
                    }))
        }
        try await withServer(handler, secure()) { _, address in
            let client = try RawClient(address, tls: trusting)
            try client.send("GET / HTTP/1.0\r\nConnection: close\r\n\r\n")
            _ = try client.readHead()
            #expect(throws: RawClient.Failure.self) { try client.readToEnd() }
        }
    }

    @Test func aClientThatEndsItsSideGetsItsAnswers() async throws {
        let handler = ClosureHandler { _ in
            .later {
                try? await Task.sleep(for: .milliseconds(20))
                return .text("late")
            }
        }
        try await withServer(handler, secure()) { _, address in
            for endsSocket in [false, true] {
                let client = try RawClient(address, tls: trusting)
                try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 3))
                client.tls?.sayEnd()
                if endsSocket { client.endOutput() }
                for _ in 0..<3 { #expect(try client.response().text == "late") }
                #expect(try client.isEnded())
            }
        }
    }

    @Test func aClientThatIsGoneWithoutCloseNotifyIsForgotten() async throws {
        try await withServer(echo, secure()) { server, address in
            for resets in [false, true] {
                var client: RawClient? = try RawClient(address, tls: trusting)
                try client?.send("GET / HTTP/1.1\r\nHo")
                if resets { client?.resetOnClose() }
                client = nil
                #expect(soon { server.counters.open == 0 })
            }
        }
    }
}

// MARK: Reload and drain

struct TLSReloadTests {
    @Test func newcomersSeeTheNewCertificateAndNobodyIsDropped() async throws {
        let files = try TestCertificate.first.copy(named: "reloaded")
        try await withServer(echo, secure { $0.tls = files }) { server, address in
            let before = try RawClient(address, tls: trusting)
            try TestCertificate.second.overwrite(files)
            try server.reloadTLS()
            #expect(
                soon { (try? RawClient(address, tls: .init(trusted: .second))) != nil },
                "the event loop has taken it")
            #expect(throws: RawClient.Failure.self) { try RawClient(address, tls: trusting) }
            try before.get("/before")
            #expect(try before.response().text == "/before")
        }
    }

    @Test func aBrokenCertificateKeepsTheOldOneAndSaysWhy() async throws {
        let files = try TestCertificate.first.copy(named: "broken")
        let other = TestCertificate.second.files
        try await withServer(echo, secure { $0.tls = files }) { server, address in
            try TestCertificate.second.overwrite(TLSFiles(certificate: files.certificate, key: "/dev/null"))
            let key = TLSError.key(path: files.key, "it is another certificate's than the first one in the file")
            #expect(throws: key) { try server.reloadTLS() }
            try TestCertificate.second.overwrite(TLSFiles(certificate: "/dev/null", key: files.certificate))
            let certificate = TLSError.certificate(path: files.certificate, "it is not in the file, as PEM")
            #expect(throws: certificate) { try server.reloadTLS() }
            unlink(files.certificate)
            #expect(throws: TLSError.certificate(path: files.certificate, "No such file or directory")) {
                try server.reloadTLS()
            }
            let client = try RawClient(address, tls: trusting)
            try client.get("/old")
            #expect(try client.response().text == "/old")
            #expect(other != files)
        }
    }

    @Test func aServerWithoutTLSHasNothingToReload() async throws {
        try await withServer { server, _ in
            #expect(throws: TLSError.notInUse) { try server.reloadTLS() }
            #expect(server.certificateTimeLeft == nil)
        }
    }

    @Test func aServerDoesNotStartWithABrokenCertificate() throws {
        let files = TLSFiles(certificate: "/nowhere.crt", key: "/nowhere.key")
        let server = Server(configuration: secure { $0.tls = files }, handler: echo)
        #expect(throws: ServerError.tls(.certificate(path: "/nowhere.crt", "No such file or directory"))) {
            try server.start()
        }
    }

    @Test func theTimeThatIsLeftIsTold() async throws {
        try await withServer(echo, secure()) { server, _ in
            let left = try #require(server.certificateTimeLeft)
            #expect(left > .seconds(47 * 3600) && left <= .seconds(48 * 3600))
            let toGo = try #require(server.certificateTimeToGo)
            #expect(toGo > .seconds(-3600) && toGo <= .zero)
        }
    }

    @Test func aDrainFinishesWhatIsUnderWay() async throws {
        let gate = Gate()
        let handler = ClosureHandler { request in
            guard request.target.pathString == "/wait" else { return .now(.text("now")) }
            return .later {
                await gate.wait()
                return .text("done")
            }
        }
        try await withServer(handler, secure { $0.timeouts.drainGrace = .seconds(8) }) { server, address in
            let busy = try RawClient(address, tls: trusting)
            let idle = try RawClient(address, tls: trusting)
            try busy.get("/wait")
            #expect(soon { server.counters.requests == 1 })
            server.beginDrain()
            #expect(stopsListening(address))
            try idle.get("/last")
            #expect(try idle.response().closes)
            #expect(try idle.isEnded())
            gate.open()
            #expect(try busy.response().text == "done")
            #expect(try busy.isEnded())
            #expect(await server.ended() == 0)
        }
    }

    @Test func whoNeverShakesHandsDoesNotHoldADrainUp() async throws {
        try await withServer(echo, secure { $0.timeouts.drainGrace = .milliseconds(50) }) { server, address in
            let stranger = try RawClient(address)
            #expect(soon { server.counters.open == 1 })
            #expect(await server.drain(within: .seconds(60)) == 0)
            #expect(try stranger.isEnded())
        }
    }
}
