import Glibc
import HTTP1
import HTTPTransport
import Synchronization
import Testing

/// Answers with a closure. Refusals say their reason in plain text.
struct ClosureHandler: RequestHandler {
    let respond: @Sendable (Request) -> Answer

    init(_ respond: @escaping @Sendable (Request) -> Answer) {
        self.respond = respond
    }

    func delivery(for head: Request) -> ContentDelivery { .whole(limit: 64 * 1024) }
    func answer(_ request: Request) -> Answer { respond(request) }
    func answer(_ error: ProtocolError) -> Response { .text("\(error.reason)", error.status) }
}

extension Response {
    static func text(_ text: String, _ status: Status = .ok) -> Response {
        Response(status, content: .bytes(Array(text.utf8)))
    }
}

/// Says the path.
let echo = ClosureHandler { .now(.text($0.target.pathString ?? "")) }

/// A server on a free port of 127.0.0.1 with one event loop, changed as a test needs it.
func configured(_ change: (inout ServerConfiguration) -> Void) -> ServerConfiguration {
    var configuration = ServerConfiguration()
    configuration.addresses = [.ipv4(host: "127.0.0.1", port: 0)]
    change(&configuration)
    return configuration
}

/// Runs `body` against a server, and stops it.
func withServer(
    _ handler: any RequestHandler = echo, _ configuration: ServerConfiguration = configured { _ in },
    _ body: (Server, ListenAddress) async throws -> Void
) async throws {
    let server = Server(configuration: configuration, handler: handler)
    let addresses = try server.start()
    do {
        try await body(server, addresses[0])
    } catch {
        server.stop()
        throw error
    }
    server.stop()
    _ = await server.ended()
    #expect(server.counters.open == 0, "every connection is closed")
}

/// Waits, a little at a time, until `condition` holds; no longer than half a minute.
///
/// It keeps its thread: a test that gives it up may get it back only when other tests, which compute for long, are done,
/// and by then every time-out has passed.
func soon(_ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<6000 {
        if try condition() { return true }
        usleep(5000)
    }
    return try condition()
}

/// Something a handler waits for, until the test opens it.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func wait() async {
        await withCheckedContinuation { waiter in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(waiter) }
                return state.isOpen
            }
            if isOpen { waiter.resume() }
        }
    }

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// Waits until nobody is let in any more: the drain has begun.
func stopsListening(_ address: ListenAddress) -> Bool {
    soon { (try? RawClient(address)) == nil }
}
