import Foundation
import HTTP1
import HTTPTransport
import Synchronization
import Testing

struct DrainTests {
    @Test func anIdleConnectionIsServedOnceMoreThenClosed() async throws {
        try await withServer(echo, configured { $0.timeouts.drainGrace = .seconds(8) }) { server, address in
            let client = try RawClient(address)
            try client.get("/")
            _ = try client.response()
            server.beginDrain()
            #expect(stopsListening(address))
            try client.get("/last")
            let response = try client.response()
            #expect(response.text == "/last")
            #expect(response.closes)
            #expect(try client.isEnded())
        }
    }

    @Test func anIdleConnectionThatStaysIdleIsClosedAfterItsGrace() async throws {
        try await withServer(echo, configured { $0.timeouts.drainGrace = .milliseconds(50) }) { server, address in
            let client = try RawClient(address)
            try client.get("/")
            _ = try client.response()
            #expect(await server.drain(within: .seconds(60)) == 0)
            #expect(try client.isEnded())
        }
    }

    @Test func aRequestInFlightIsFinished() async throws {
        let gate = Gate()
        try await withServer(
            ClosureHandler { _ in
                .later {
                    await gate.wait()
                    return .text("done")
                }
            }
        ) { server, address in
            let client = try RawClient(address)
            try client.get("/")
            #expect(soon { server.counters.requests == 1 })
            server.beginDrain()
            #expect(stopsListening(address))
            gate.open()
            let response = try client.response()
            #expect(response.text == "done")
            #expect(response.closes)
            #expect(await server.ended() == 0)
        }
    }

    @Test func aHalfSentRequestIsTakenToItsEnd() async throws {
        try await withServer { server, address in
            let client = try RawClient(address)
            try client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel")
            #expect(soon { server.counters.open == 1 })
            server.beginDrain()
            #expect(stopsListening(address))
            try client.send("lo")
            #expect(try client.response().text == "/a")
            #expect(try client.isEnded())
        }
    }

    @Test func aStreamMayWriteItsLastWords() async throws {
        let handler = ClosureHandler { _ in
            .now(
                Response(
                    .ok,
                    content: .stream { writer in
                        try await writer.write(Array("first".utf8))
                        try? await Task.sleep(for: .seconds(30))
                        try await writer.write(Array("last".utf8))
                    }))
        }
        try await withServer(handler) { server, address in
            let client = try RawClient(address)
            try client.get("/")
            _ = try client.readHead()
            #expect(try client.readChunk() == Array("first".utf8))
            server.beginDrain()
            #expect(try client.readChunk() == Array("last".utf8))
            #expect(try client.readChunk() == [])
            #expect(try client.isEnded())
        }
    }

    @Test func whatDoesNotEndInTimeIsCutAndCounted() async throws {
        let gate = Gate()
        try await withServer(
            ClosureHandler { _ in
                .later {
                    await gate.wait()
                    return .text("never")
                }
            }
        ) { server, address in
            let client = try RawClient(address)
            try client.get("/")
            #expect(soon { server.counters.requests == 1 })
            #expect(await server.drain(within: .milliseconds(50)) == 1)
            #expect(try client.isEnded())
            gate.open()
        }
    }

    @Test func nobodyIsLetInAnyMore() async throws {
        try await withServer { server, address in
            #expect(await server.drain(within: .seconds(60)) == 0)
            #expect(throws: RawClient.Failure.self) { try RawClient(address) }
        }
    }

    /// A client that sends until it is told to stop gets an answer to everything it sent.
    @Test(arguments: [1, 2])
    func noRequestIsCut(eventLoops: Int) async throws {
        try await withServer(echo, configured { $0.eventLoops = eventLoops }) { server, address in
            let ended = Count()
            let failed = Count()
            for _ in 0..<8 {
                // Threads of their own: a task may have to wait for its thread until the time-outs have passed.
                Thread.detachNewThread {
                    defer { ended.add() }
                    do {
                        let client = try RawClient(address)
                        repeat { try client.get("/") } while try !client.response().closes
                    } catch {
                        failed.add()
                    }
                }
            }
            #expect(soon { server.counters.requests > 200 })
            server.beginDrain()
            #expect(soon { ended.now == 8 })
            #expect(failed.now == 0)
            #expect(await server.ended() == 0)
        }
    }
}
