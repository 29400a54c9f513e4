import HTTP1
import LayoutAPI
import LayoutApplication
import Locking
import Testing

/// What was slow.
private final class Slow: Sendable {
    private let all = Mutex<[SlowRequest]>([])

    var requests: [SlowRequest] { all.withLock { $0 } }

    func log(threshold: Duration) -> SlowLog {
        SlowLog(threshold: threshold) { [self] request in all.withLock { $0.append(request) } }
    }
}

@Suite struct SlowLogTests {
    /// Sends it, and has its answer sent after `write`.
    private func send(
        _ method: Method, _ target: String, _ content: String = "", to service: TestService,
        queued: Duration = .zero, write: Duration = .zero
    ) async throws {
        var fields = Fields()
        if !content.isEmpty { fields.append(name: "Content-Type", value: "application/json") }
        var request = try Request(method, target, fields: fields, content: Array(content.utf8))
        request.received = service.uptime
        request.queued = queued.nanoseconds
        await service.respond(to: request).whenSent?(write)
    }

    @Test func theTimeOfAWriteHasItsParts() async throws {
        let slow = Slow()
        let service = try await TestService("a b") { $0.slowLog = slow.log(threshold: .nanoseconds(1)) }
        let before = slow.requests.count
        try await send(
            .post, "/v1/users/u1/layout/operations", #"{"operations":[{"op":"add","id":"c"}]}"#, to: service,
            queued: .seconds(2), write: .seconds(3))
        let request = try #require(slow.requests.dropFirst(before).first)
        #expect(request.exchange.route == "/v1/users/{user}/layout/operations")
        #expect(request.queue == .seconds(2))
        #expect(request.write == .seconds(3))
        #expect(request.rule > .zero)
        #expect(request.commit > .zero)
        #expect(request.total >= request.queue + request.rule + request.commit + request.write)
        #expect(request.total < .seconds(3_600))
    }

    @Test func whatIsQuickIsNotTold() async throws {
        let slow = Slow()
        let service = try await TestService("a b") { $0.slowLog = slow.log(threshold: .seconds(3_600)) }
        try await send(.get, "/v1/users/u1/layout", to: service)
        #expect(slow.requests.isEmpty)
        try await send(.get, "/v1/users/u1/layout", to: service, queued: .seconds(3_600))
        #expect(slow.requests.count == 1)
    }

    @Test func whatIsReadyAtOnceCanBeSlowToLeave() async throws {
        let slow = Slow()
        let functions = (0..<2_000).map { "f\($0)" }.joined(separator: " ")
        let service = try await TestService(catalog: catalogText(functions)) {
            $0.slowLog = slow.log(threshold: .seconds(3_600))
        }
        try await send(.get, "/v1/catalog", to: service, write: .seconds(1))
        #expect(slow.requests.isEmpty)
        try await send(.get, "/v1/catalog", to: service, write: .seconds(3_600))
        #expect(slow.requests.map(\.write) == [.seconds(3_600)])
    }

    @Test func whoWantsToWaitIsNotSlow() {
        let spent = TimeSpent()
        spent.waited(since: .now - .seconds(50))
        #expect(spent.soFar.patience >= .seconds(50))
        spent.decided(since: .now - .seconds(2))
        spent.settled(since: .now - .seconds(5))
        #expect(spent.soFar.rule >= .seconds(2))
        #expect(spent.soFar.commit >= .seconds(2) && spent.soFar.commit < .seconds(5))
    }
}
