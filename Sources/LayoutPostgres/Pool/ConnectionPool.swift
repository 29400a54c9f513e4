import LayoutApplication
import Locking

/// A bounded number of connections. Errands are carried out in the order in which they came, each by the lane that is free
/// first: the one that was busy last, so that no more connections are opened than are used.
package final class ConnectionPool: Sendable {
    package struct Settings: Sendable {
        package var address: ServerAddress
        package var size: Int
        package var connectionAge: Duration
        /// For a request, all tries together.
        package var patience: Duration
        /// For a statement that is told to stop.
        package var grace: Duration
        package var waitingLimit: Int

        package init(
            address: ServerAddress, size: Int, connectionAge: Duration, patience: Duration, grace: Duration,
            waitingLimit: Int
        ) {
            self.address = address
            self.size = size
            self.connectionAge = connectionAge
            self.patience = patience
            self.grace = grace
            self.waitingLimit = waitingLimit
        }
    }

    let settings: Settings
    let counter: PoolCounter
    private let lanes: [Lane]
    private let state: Mutex<State>

    fileprivate struct State {
        var idle: [Lane]
        var waiting: [any Errand] = []
        /// Where in `waiting` the oldest stands; what is before it is gone.
        var oldest = 0
        var isClosed = false
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    package init(_ settings: Settings) {
        self.settings = settings
        let counter = PoolCounter()
        self.counter = counter
        lanes = (1...max(settings.size, 1)).map { Lane(number: $0, settings, counter) }
        state = Mutex(State(idle: lanes.reversed()))
    }

    /// Runs `body` on a connection; from the beginning where the connection broke or a transaction came in between.
    ///
    /// - Throws: `StoreError`; whatever else `body` throws.
    package func perform<Result: Sendable>(
        within patience: Duration? = nil,
        _ body: @escaping @Sendable (Connection, ContinuousClock.Instant) throws -> Result
    ) async throws -> Result {
        let deadline = ContinuousClock.now + (patience ?? settings.patience)
        return try await withCheckedThrowingContinuation { caller in
            submit(Inquiry(by: deadline, { try body($0, deadline) }, for: caller))
        }
    }

    func submit(_ errand: any Errand) {
        enum Place {
            case refused(StoreError)
            case waits
            case goes(Lane)
        }
        let place = state.withLock { state -> Place in
            if state.isClosed { return .refused(.closed) }
            if let lane = state.idle.popLast() { return .goes(lane) }
            if state.waiting.count - state.oldest >= settings.waitingLimit { return .refused(.busy) }
            state.waiting.append(errand)
            return .waits
        }
        switch place {
        case .refused(let error):
            if let errand = errand.fail(error) { submit(errand) }
        case .waits: break
        case .goes(let lane): lane.begin(errand) { [self] in next(for: lane) }
        }
    }

    /// Finishes what was accepted, then closes all connections.
    package func close() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                state.isClosed = true
                if state.idle.count == lanes.count { return true }
                state.closing.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
        for lane in lanes { await lane.close() }
    }

    /// What the lane is to do next; where that is nothing, it is idle.
    private func next(for lane: Lane) -> (any Errand)? {
        let (errand, closing) = state.withLock { state -> ((any Errand)?, [CheckedContinuation<Void, Never>]) in
            if let errand = state.takeOldest() { return (errand, []) }
            state.idle.append(lane)
            guard state.isClosed, state.idle.count == lanes.count else { return (nil, []) }
            defer { state.closing = [] }
            return (nil, state.closing)
        }
        for continuation in closing { continuation.resume() }
        return errand
    }
}

extension ConnectionPool.State {
    fileprivate mutating func takeOldest() -> (any Errand)? {
        guard oldest < waiting.count else { return nil }
        let errand = waiting[oldest]
        oldest += 1
        if oldest == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            oldest = 0
        } else if oldest >= 1_024 {
            waiting.removeFirst(oldest)
            oldest = 0
        }
        return errand
    }
}
