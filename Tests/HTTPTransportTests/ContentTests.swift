import HTTP1
import HTTPTransport
import Testing

private let put = "PUT / HTTP/1.1\r\nHost: a\r\n"

struct ContentTests {
    @Test func aClientThatAsksIsToldToContinue() async throws {
        try await withServer { _, address in
            let client = try RawClient(address)
            try client.send(put + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try client.response().status == 100)
            try client.send("ok")
            #expect(try client.response().status == 200)
        }
    }

    @Test func contentThatIsTooLargeIsRefusedUnread() async throws {
        try await withServer { _, address in
            let client = try RawClient(address)
            try client.send(put + "Expect: 100-continue\r\nContent-Length: 1000000000\r\n\r\n")
            let response = try client.response()
            #expect(response.status == 413)
            #expect(response.closes)
            #expect(try client.isEnded())
        }
    }

    @Test func aClientThatGoesOnSendingStillReadsTheRefusal() async throws {
        try await withServer { _, address in
            let client = try RawClient(address)
            try client.send(put + "Content-Length: 4000000\r\n\r\n")
            // The server has shut its side long before this is through. It reads on, so there is no reset.
            try client.send([UInt8](repeating: 32, count: 4_000_000))
            #expect(try client.response().status == 413)
            #expect(try client.isEnded())
        }
    }

    @Test func aClientThatHasEndedItsSideGetsItsAnswers() async throws {
        try await withServer { _, address in
            let client = try RawClient(address)
            try client.get("/1")
            try client.get("/2")
            client.endOutput()
            #expect(try client.response().text == "/1")
            #expect(try client.response().text == "/2")
            #expect(try client.isEnded())
        }
    }

    @Test func aClientThatHasEndedItsSideGetsALateAnswer() async throws {
        let gate = Gate()
        try await withServer(
            ClosureHandler { _ in
                .later {
                    await gate.wait()
                    return .text("late")
                }
            }
        ) { server, address in
            let client = try RawClient(address)
            try client.get("/")
            client.endOutput()
            #expect(soon { server.counters.requests == 1 })
            gate.open()
            #expect(try client.response().text == "late")
            #expect(try client.isEnded())
        }
    }

    @Test func aRequestThatEndsHalfwayIsRefused() async throws {
        try await withServer { _, address in
            let client = try RawClient(address)
            try client.send("GET / HT")
            client.endOutput()
            #expect(try client.response().status == 400)
            #expect(try client.isEnded())
        }
    }

    @Test func whatFollowsTheLastRequestIsNotAnswered() async throws {
        try await withServer { _, address in
            let client = try RawClient(address)
            try client.send("GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.response().text == "/1")
            #expect(try client.isEnded())
        }
    }
}
