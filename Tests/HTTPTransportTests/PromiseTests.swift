import Foundation
import HTTP1
import HTTPTransport
import Synchronization
import Testing

/// Answers that somebody else gives, from threads of their own.
struct PromiseTests {
    @Test func anAnswerIsMadeOnTheEventLoop() async throws {
        let handler = ClosureHandler { _ in
            let loop = threadName()
            return .promised { reply in
                Thread.detachNewThread {
                    let giver = threadName()
                    reply.give { .text("\(threadName() == loop) \(giver == loop)") }
                }
            }
        }
        try await withServer(handler) { _, address in
            let client = try RawClient(address)
            for _ in 0..<20 {
                try client.get("/")
                #expect(try client.response().text == "true false")
            }
        }
    }

    @Test func answersLeaveInOrderWhoeverGivesThem() async throws {
        let handler = ClosureHandler { request in
            let path = request.target.pathString ?? ""
            if path.hasPrefix("/now") { return .now(.text(path)) }
            if path.hasPrefix("/task") { return .later { .text(path) } }
            if path.hasPrefix("/kept") { return .promised { reply in reply.give { .text(path) } } }
            return .promised { reply in Thread.detachNewThread { reply.give { .text(path) } } }
        }
        try await withServer(handler) { _, address in
            let client = try RawClient(address)
            let paths = (0..<40).map { ["/now", "/task", "/kept", "/given"][$0 * 7 / 3 % 4] + "\($0)" }
            try client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            for path in paths { #expect(try client.response().text == path) }
        }
    }

    /// It is counted and logged where it is made.
    @Test func anAnswerToOneWhoHasGoneIsMadeAllTheSame() async throws {
        let held = HeldReplies()
        let made = Atomic(false)
        try await withServer(held.handler) { server, address in
            var client: RawClient? = try RawClient(address)
            try client?.get("/")
            #expect(soon { held.count == 1 })
            client?.resetOnClose()
            client = nil
            #expect(soon { server.counters.open == 0 })
            held.give {
                made.store(true, ordering: .relaxed)
                return .text("to nobody")
            }
            #expect(soon { made.load(ordering: .relaxed) })
        }
    }

    @Test func aPromiseIsKeptWhileTheServerDrains() async throws {
        let held = HeldReplies()
        try await withServer(held.handler) { server, address in
            let client = try RawClient(address)
            try client.get("/")
            #expect(soon { held.count == 1 })
            server.beginDrain()
            #expect(stopsListening(address))
            held.give { .text("done") }
            let response = try client.response()
            #expect(response.text == "done")
            #expect(response.closes)
            #expect(await server.ended() == 0)
        }
    }

    @Test func oneThatIsKeptAfterTheEndHarmsNobody() async throws {
        let held = HeldReplies()
        let made = Atomic(false)
        try await withServer(held.handler) { server, address in
            let client = try RawClient(address)
            try client.get("/")
            #expect(soon { held.count == 1 })
            #expect(await server.drain(within: .milliseconds(50)) == 1)
            #expect(try client.isEnded())
        }
        held.give {
            made.store(true, ordering: .relaxed)
            return .text("too late")
        }
        #expect(soon { made.load(ordering: .relaxed) })
    }
}

/// Keeps what was promised until the test says so.
private final class HeldReplies: Sendable {
    private let replies = Mutex<[Reply]>([])

    var handler: ClosureHandler {
        ClosureHandler { [self] _ in .promised { [self] reply in replies.withLock { $0.append(reply) } } }
    }

    var count: Int { replies.withLock { $0.count } }

    func give(_ make: @escaping @Sendable () -> Response) {
        for reply in replies.withLock({ $0 }) { reply.give(make) }
    }
}
