import HTTP1
import Locking
import Testing

/// The other end of an event stream: what was written to it, event by event.
final class EventReader: ContentWriter {
    private let state = Mutex(State())

    private struct State {
        var text = ""
        /// What is written while the peer reads nothing waits.
        var isHeld = false
        var held: CheckedContinuation<Void, Never>?
        var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    struct Event: Equatable {
        var name: String
        var id: String
        var data: String
    }

    func write(_ bytes: [UInt8]) async throws {
        try Task.checkCancellation()
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                if state.isHeld { state.held = continuation }
                return state.isHeld
            }
            if !waits { continuation.resume() }
        }
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.text += String(decoding: bytes, as: UTF8.self)
            guard let waiter = state.waiter, Self.events(in: state.text).count >= waiter.count else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        waiter?.resume()
    }

    /// From now on the peer reads nothing.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Whether the stream waits for the peer to read on.
    var isHeldUp: Bool { state.withLock { $0.held != nil } }

    func release() {
        state.withLock { state in
            state.isHeld = false
            defer { state.held = nil }
            return state.held
        }?.resume()
    }

    var text: String { state.withLock { $0.text } }
    var events: [Event] { Self.events(in: text) }

    /// Waits until so many events have come.
    func events(_ count: Int) async -> [Event] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if Self.events(in: state.text).count >= count { return true }
                state.waiter = (count, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
        return events
    }

    /// Blocks without data (comments, `retry:`) are no events.
    private static func events(in text: String) -> [Event] {
        text.split(separator: "\n\n").compactMap { block in
            var fields: [String: String] = [:]
            for line in block.split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts.count == 2 { fields[String(parts[0])] = String(parts[1].drop { $0 == " " }) }
            }
            return fields["data"].map { Event(name: fields["event"] ?? "message", id: fields["id"] ?? "", data: $0) }
        }
    }
}

extension TestService {
    /// Opens `GET …/events` and lets `body` read from it; the stream is cancelled afterwards, as by a peer that leaves.
    func withEvents(
        _ target: String = "/v1/users/u1/layout/events", _ fields: KeyValuePairs<StaticString, String> = [:],
        _ body: (EventReader) async throws -> Void
    ) async throws {
        var lines = Fields()
        for (name, value) in fields { lines.append(name: name, value: value) }
        let response = await respond(to: try Request(.get, target, fields: lines))
        #expect(response.status == .ok)
        #expect(response.fields.first("Content-Type") == "text/event-stream")
        guard case .stream(let stream) = response.content else {
            Issue.record("an event stream is streamed")
            return
        }
        let reader = EventReader()
        let task = Task { try await stream(reader) }
        try await body(reader)
        task.cancel()
        _ = await task.result
    }
}
