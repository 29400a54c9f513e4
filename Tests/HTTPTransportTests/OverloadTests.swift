import Dispatch
import HTTP1
import HTTPTransport
import Locking
import Testing

struct OverloadTests {
    @Test func aConnectionTooManyIsAnswered503AtOnce() async throws {
        try await withServer(echo, configured { $0.maxConnections = 2 }) { server, address in
            var clients = try (0..<2).map { _ in try RawClient(address) }
            for client in clients {
                try client.get("/")
                #expect(try client.response().status == 200)
            }
            let surplus = try RawClient(address)
            let response = try surplus.response()
            #expect(response.status == 503)
            #expect(response.head.contains("\r\nRetry-After: "))
            #expect(response.closes)
            #expect(try surplus.isEnded())
            #expect(server.counters.refused == 1)

            clients.removeAll()
            let isServed = try soon {
                let next = try RawClient(address)
                try next.get("/")
                return try next.response().status == 200
            }
            #expect(isServed)
        }
    }

    /// What there is to do is all there when the loop begins; what counts is how much of it comes before the one request.
    @Test func oneRequestDoesNotWaitForManyThatPipeline() async throws {
        let (isHeld, hold) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let answered = Mutex(0)
        let handler = ClosureHandler { request in
            if request.target.pathString == "/hold" {
                isHeld.signal()
                hold.wait()
            }
            let place = answered.withLock { count in
                count += 1
                return count
            }
            return .now(.text("\(place)"))
        }
        try await withServer(handler, configured { $0.eventLoops = 1 }) { _, address in
            let (holder, bystander) = (try RawClient(address), try RawClient(address))
            let crowd = try (0..<60).map { _ in try RawClient(address) }
            for client in crowd + [bystander] {
                try client.get("/")
                _ = try client.response()
            }
            let before = answered.withLock { $0 }
            try holder.get("/hold")
            #expect(soon { isHeld.wait(timeout: .now()) == .success })
            for client in crowd { try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 400)) }
            try bystander.get("/")
            hold.signal()
            let place = try #require(Int(try bystander.response().text)) - before
            #expect(place <= 300, "of \(60 * 400): two rounds of 128, and one for each")
        }
    }

    @Test func aFloodOfResetsLeavesNothingBehind() async throws {
        let handler = ClosureHandler { request in
            request.target.pathString == "/late"
                ? .later {
                    try? await Task.sleep(for: .milliseconds(20))
                    return .text("late")
                } : .now(.text(String(repeating: "x", count: 10_000)))
        }
        try await withServer(handler) { server, address in
            let states = [
                "", "GET /", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /late HTTP/1.1\r\nHost: a\r\n\r\n",
                "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf", "nonsense\r\n\r\n",
            ]
            for number in 0..<300 {
                let client = try RawClient(address)
                client.resetOnClose()
                try client.send(states[number % states.count])
            }
            #expect(soon { server.counters.open == 0 })
            let client = try RawClient(address)
            try client.get("/")
            #expect(try client.response().status == 200)
        }
    }
}
