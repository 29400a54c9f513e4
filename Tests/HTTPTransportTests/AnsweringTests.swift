import HTTP1
import HTTPTransport
import Synchronization
import Testing

struct AnsweringTests {
    @Test func oneConnectionCarriesManyRequests() async throws {
        try await withServer { _, address in
            let client = try RawClient(address)
            for number in 0..<20 {
                try client.get("/\(number)")
                #expect(try client.response().text == "/\(number)")
            }
        }
    }

    @Test func pipelinedAnswersLeaveInOrderWhateverTheyTake() async throws {
        let handler = ClosureHandler { request in
            let path = request.target.pathString ?? ""
            guard path.hasPrefix("/late") else { return .now(.text(path)) }
            return .later {
                try? await Task.sleep(for: .milliseconds(20))
                return .text(path)
            }
        }
        try await withServer(handler) { _, address in
            let client = try RawClient(address)
            let paths = ["/1", "/late2", "/3", "/late4", "/late5", "/6"]
            try client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            for path in paths { #expect(try client.response().text == path) }
        }
    }

    @Test func aRoundEndsBehindItsRequestsOnTheirThread() async throws {
        let heard = Mutex<[String]>([])
        let handler = ClosureHandler { _ in
            heard.withLock { $0.append("request on \(threadName())") }
            return .now(.text("answer"))
        }
        let configuration = configured {
            $0.whenRoundEnds = {
                heard.withLock { heard in
                    // Rounds in which nothing was asked end as well.
                    if heard.last?.hasPrefix("request") == true { heard.append("end on \(threadName())") }
                }
            }
        }
        try await withServer(handler, configuration) { _, address in
            let client = try RawClient(address)
            try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 3))
            for _ in 0..<3 { #expect(try client.response().text == "answer") }
            #expect(soon { heard.withLock { $0.count == 4 } })
            let heard = heard.withLock { $0 }
            let thread = heard[0].split(separator: " ").last ?? ""
            #expect(heard == Array(repeating: "request on \(thread)", count: 3) + ["end on \(thread)"])
        }
    }

    @Test func anAnswerThatNeedNotWaitComesAtOnce() async throws {
        try await withServer(ClosureHandler { _ in .later { .text("at once") } }) { _, address in
            let client = try RawClient(address)
            try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 50))
            for _ in 0..<50 { #expect(try client.response().text == "at once") }
        }
    }

    @Test func aTaskComesBackToItsEventLoop() async throws {
        let handler = ClosureHandler { _ in
            .later {
                let before = threadName()
                try? await Task.sleep(for: .milliseconds(5))
                return .text("\(before == threadName())")
            }
        }
        try await withServer(handler) { _, address in
            let client = try RawClient(address)
            try client.get("/")
            #expect(try client.response().text == "true")
        }
    }

    @Test func morePipelinedAnswersThanTheBudgetAllArrive() async throws {
        let large = Response(.ok, content: .bytes([UInt8](repeating: 120, count: 50_000)))
        try await withServer(ClosureHandler { _ in .now(large) }, configured { $0.outputBudget = 64 * 1024 }) {
            _, address in
            let client = try RawClient(address, receiveBuffer: 4096)
            try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 100))
            for _ in 0..<100 { #expect(try client.response().content.count == 50_000) }
        }
    }

    /// Small ones are copied behind their heads, large ones are not; a peer that reads slowly has them cut anywhere.
    @Test(arguments: [nil, 4096] as [Int32?])
    func answersOfEverySizeComeWholeAndInOrder(receiveBuffer: Int32?) async throws {
        let sizes = [1, 16_384, 16_385, 3, 200_000, 0, 20_000, 20_000, 500_000, 7]
        func content(_ number: Int) -> [UInt8] {
            (0..<sizes[number]).map { UInt8(truncatingIfNeeded: $0 / 3 + number) }
        }
        let contents = sizes.indices.map(content)
        let handler = ClosureHandler { request in
            let number = Int(request.target.pathString?.dropFirst() ?? "") ?? 0
            return .now(Response(.ok, content: .bytes(contents[number])))
        }
        try await withServer(handler) { _, address in
            let client = try RawClient(address, receiveBuffer: receiveBuffer)
            try client.send(sizes.indices.map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            for expected in contents { #expect(try client.response().content == expected) }
        }
    }

    @Test func theHandlerSeesThePeerAndTheContent() async throws {
        let handler = ClosureHandler { .now(.text($0.peer + " " + String(decoding: $0.content, as: UTF8.self))) }
        try await withServer(handler) { _, address in
            let client = try RawClient(address)
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel")
            try client.send("lo")
            #expect(try client.response().text == "127.0.0.1 hello")
        }
    }

    @Test func requestsAndConnectionsAreCounted() async throws {
        try await withServer { server, address in
            let client = try RawClient(address)
            for _ in 0..<3 {
                try client.get("/")
                _ = try client.response()
            }
            let counters = server.counters
            #expect(soon { counters.requests == 3 })
            #expect(counters.accepted == 1)
            #expect(counters.open == 1)
        }
    }

    @Test func severalEventLoopsShareAPort() async throws {
        try await withServer(echo, configured { $0.eventLoops = 3 }) { _, address in
            let clients = try (0..<30).map { _ in try RawClient(address) }
            for client in clients { try client.get("/a") }
            for client in clients { #expect(try client.response().text == "/a") }
        }
    }
}
