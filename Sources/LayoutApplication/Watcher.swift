import Locking

/// One who watches. Events wait in it, a bounded number of them, until its owner takes them.
package final class Watcher: Sendable {
    private let state = Mutex(State())
    private let leave: @Sendable (Watcher) -> Void

    package enum Event: Sendable {
        case change(ChangeFeed.Change)
        case catalog
        case heartbeat
        /// More was committed than waits here: what is missing has to be read from the history.
        case overflow
        /// Nothing follows.
        case end
    }

    fileprivate struct State {
        var waiting: [Event] = []
        var continuation: CheckedContinuation<Event, Never>?
        var isEnded = false
    }

    /// A watcher that is so far behind reads the history sooner than this many events one by one.
    private static let mostWaiting = 64

    init(leave: @escaping @Sendable (Watcher) -> Void) { self.leave = leave }

    /// The next event, once there is one; `.end` when the watcher has ended or its task is cancelled.
    package func next() async -> Event {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let event = state.withLock { state -> Event? in
                    if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                    if state.isEnded { return .end }
                    state.continuation = continuation
                    return nil
                }
                if let event { continuation.resume(returning: event) }
            }
        } onCancel: {
            end()
        }
    }

    /// Stops watching.
    package func end() {
        leave(self)
        let continuation = state.withLock { state in
            state.isEnded = true
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: .end)
    }

    func take(_ event: Event) {
        let continuation = state.withLock { state -> CheckedContinuation<Event, Never>? in
            guard !state.isEnded else { return nil }
            if let continuation = state.continuation {
                state.continuation = nil
                return continuation
            }
            state.keep(event, atMost: Self.mostWaiting)
            return nil
        }
        continuation?.resume(returning: event)
    }
}

extension Watcher.State {
    fileprivate mutating func keep(_ event: Watcher.Event, atMost bound: Int) {
        if case .heartbeat = event, !waiting.isEmpty { return }
        if waiting.count < bound { return waiting.append(event) }
        waiting = [.overflow]
    }
}
