import Foundation
import HTTP1
import HTTPTransport
import PegboardClient
import Testing

/// `URLSession` against the project's own server, over loopback.
@Suite(.timeLimit(.minutes(1))) struct URLSessionTransportTests {
    private struct Handler: RequestHandler {
        let respond: @Sendable (Request) -> Answer
        func delivery(for head: Request) -> ContentDelivery { .whole(limit: 64 * 1_024) }
        func answer(_ request: Request) -> Answer { respond(request) }
        func answer(_ error: ProtocolError) -> Response { Response(error.status) }
    }

    private func withServer(
        _ respond: @escaping @Sendable (Request) -> Answer, _ body: (URL) async throws -> Void
    ) async throws {
        var configuration = ServerConfiguration()
        configuration.addresses = [.ipv4(host: "127.0.0.1", port: 0)]
        let server = Server(configuration: configuration, handler: Handler(respond: respond))
        let address = try server.start()[0]
        defer { server.stop() }
        guard case .ipv4(_, let port) = address else { throw URLError(.badURL) }
        try await body(URL(string: "http://127.0.0.1:\(port)")!)
    }

    private func client(_ url: URL, attempts: Int = 1) -> PegboardClient {
        var settings = PegboardClient.Settings()
        settings.attempts = attempts
        settings.sleep = { _ in }
        return PegboardClient(
            baseURL: url, user: "u", identity: .init(appVersion: "1", device: "d"), settings: settings)
    }

    @Test func aRequestArrivesAsItWasMade() async throws {
        let respond: @Sendable (Request) -> Answer = { request in
            let names = request.fields
            let line = [
                request.method.rawValue, names.first("User-Agent") ?? "-", names.first("Pegboard-Client") ?? "-",
                names.first("Idempotency-Key") ?? "-", String(decoding: request.content, as: UTF8.self),
            ].joined(separator: " ").replacing("\"", with: "'")
            var fields = Fields()
            fields.append(name: "Content-Type", value: "application/problem+json")
            let content = #"{"code":"said","detail":"\#(line)"}"#
            return .now(Response(.unprocessableContent, fields: fields, content: .bytes(Array(content.utf8))))
        }
        try await withServer(respond) { url in
            let error = await #expect(throws: PegboardError.self) {
                try await client(url).apply([.remove("a")], options: .init(idempotencyKey: "k"))
            }
            guard case .problem(let problem) = error else {
                Issue.record("\(String(describing: error)) is no problem")
                return
            }
            #expect(
                problem.detail
                    == "POST PegboardClient/1 ios/1 (d) 'k' {'operations':[{'id':'a','op':'remove'}]}")
        }
    }

    @Test func notModifiedIsAnsweredFromMemory() async throws {
        let respond: @Sendable (Request) -> Answer = { request in
            var fields = Fields()
            fields.append(name: "ETag", value: "\"5\"")
            fields.append(name: "Content-Type", value: "application/json")
            if request.fields.first("If-None-Match") == "\"5\"" { return .now(Response(.notModified, fields: fields)) }
            return .now(Response(.ok, fields: fields, content: .bytes(Array(layoutJSON(5, ["a"]).utf8))))
        }
        try await withServer(respond) { url in
            let client = client(url)
            for _ in 0..<3 {
                let layout = try await client.layout()
                #expect(layout.favorites == ["a"])
            }
        }
    }

    @Test func eventsArriveWhileTheStreamIsOpen() async throws {
        let respond: @Sendable (Request) -> Answer = { request in
            let last = request.fields.first("Last-Event-ID").flatMap(Int.init) ?? 0
            if last >= 4 { return .now(Response(.forbidden)) }
            return .now(
                Response(
                    .ok,
                    content: .stream { writer in
                        for version in last + 1...last + 2 {
                            try await writer.write(Array(": beat\n\nid: \(version)\nevent: layout\n".utf8))
                            try await writer.write(Array("data: \(layoutJSON(version, ["a"]))\n\n".utf8))
                        }
                    }))
        }
        try await withServer(respond) { url in
            var versions: [Int64] = []
            do {
                for try await event in client(url).events() { versions.append(event.layout.version) }
            } catch PegboardError.problem(let problem) {
                #expect(problem.status == 403)
            }
            #expect(versions == [1, 2, 3, 4])
        }
    }

    @Test func cancellingEndsAnOpenStream() async throws {
        let respond: @Sendable (Request) -> Answer = { _ in
            .now(
                Response(
                    .ok,
                    content: .stream { writer in
                        try await writer.write(Array("event: layout\ndata: \(layoutJSON(1, ["a"]))\n\n".utf8))
                        try await Task.sleep(for: .seconds(60))
                    }))
        }
        try await withServer(respond) { url in
            let events = client(url).events()
            let (seen, told) = AsyncStream<Int64>.makeStream()
            let task = Task {
                for try await event in events { told.yield(event.layout.version) }
            }
            for await version in seen {
                #expect(version == 1)
                break
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func theTimeoutOfARequestIsKept() async throws {
        let respond: @Sendable (Request) -> Answer = { _ in
            .later {
                try? await Task.sleep(for: .seconds(20))
                return Response(.ok)
            }
        }
        try await withServer(respond) { url in
            await #expect(throws: URLError.self) {
                _ = try await URLSessionTransport().send(
                    TransportRequest(method: "GET", url: url, timeout: .seconds(1)))
            }
        }
    }

    #if os(Linux)
        @Test func noConnectionIsUsedTwice() async throws {
            let respond: @Sendable (Request) -> Answer = { request in
                .now(Response(request.fields.first("Connection") == "close" ? .ok : .badRequest))
            }
            try await withServer(respond) { url in
                let answer = try await URLSessionTransport().send(TransportRequest(method: "GET", url: url))
                #expect(answer.status == 200)
            }
        }
    #endif

    @Test func aRefusedConnectionIsUnreachable() async throws {
        let error = await #expect(throws: PegboardError.self) {
            try await client(URL(string: "http://127.0.0.1:1")!).layout()
        }
        guard case .unreachable = error else {
            Issue.record("\(String(describing: error)) says something else")
            return
        }
    }
}
