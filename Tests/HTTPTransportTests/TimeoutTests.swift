import HTTP1
import HTTPTransport
import Testing

struct TimeoutTests {
    @Test func aHeadThatDripsIsAnswered408() async throws {
        try await withServer(echo, configured { $0.timeouts.head = .milliseconds(150) }) { _, address in
            let client = try RawClient(address)
            try client.send("GET / HT")
            try await Task.sleep(for: .milliseconds(50))
            try client.send("TP")
            let response = try client.response()
            #expect(response.status == 408)
            #expect(response.closes)
            #expect(try client.isEnded())
        }
    }

    @Test func contentThatDoesNotComeIsAnswered408() async throws {
        try await withServer(echo, configured { $0.timeouts.content = .milliseconds(100) }) { _, address in
            let client = try RawClient(address)
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel")
            #expect(try client.response().status == 408)
            #expect(try client.isEnded())
        }
    }

    @Test func anIdleConnectionIsClosedInSilence() async throws {
        try await withServer(echo, configured { $0.timeouts.idle = .seconds(1) }) { _, address in
            let client = try RawClient(address)
            try client.get("/")
            #expect(try client.response().status == 200)
            #expect(try client.isEnded())
        }
    }

    @Test func aPeerThatDoesNotReadItsAnswerIsCutOff() async throws {
        let large = Response(.ok, content: .bytes([UInt8](repeating: 120, count: 8_000_000)))
        let handler = ClosureHandler { _ in .now(large) }
        try await withServer(handler, configured { $0.timeouts.write = .milliseconds(100) }) { server, address in
            let client = try RawClient(address, receiveBuffer: 4096)
            try client.get("/")
            #expect(try client.readHead().hasPrefix("HTTP/1.1 200"))
            #expect(soon { server.counters.open == 0 })
        }
    }

    @Test func aPeerThatNeverClosesIsLingeredForNoLongerThanItsTime() async throws {
        try await withServer(echo, configured { $0.timeouts.linger = .milliseconds(100) }) { server, address in
            let client = try RawClient(address)
            try client.get("/", fields: "Connection: close\r\n")
            #expect(try client.response().status == 200)
            #expect(soon { server.counters.open == 0 })
        }
    }
}
