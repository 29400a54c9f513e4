import LayoutApplication
import LayoutModel
import Locking

/// Whoever waits for a layout. Those who wait when a lane is free share one round trip.
final class ReadQueue: Sendable {
    private let pool: ConnectionPool
    private let catalogs: CatalogNews
    private let memory: RowMemory
    private let limits: Limits
    private let state = Mutex(State())

    struct Limits {
        /// Round trips at a time.
        var rounds: Int
        /// Layouts in one of them.
        var width = 256
        var waiting: Int
    }

    fileprivate struct State {
        var waiting: [Reader] = []
        var rounds = 0
        var isClosed = false
        /// Whoever waits for the last round.
        var finishing: CheckedContinuation<Void, Never>?
    }

    struct Reader: Sendable {
        let user: UserID
        let deadline: ContinuousClock.Instant
        let caller: CheckedContinuation<LayoutEntry, any Error>
    }

    init(pool: ConnectionPool, catalogs: CatalogNews, memory: RowMemory, _ limits: Limits) {
        self.pool = pool
        self.catalogs = catalogs
        self.memory = memory
        self.limits = limits
    }

    func layout(of user: UserID) async throws -> LayoutEntry {
        let deadline = ContinuousClock.now + pool.settings.patience
        return try await withCheckedThrowingContinuation { caller in
            add(Reader(user: user, deadline: deadline, caller: caller))
        }
    }

    /// Finishes what was taken; from now on nothing is. Once.
    func finish() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                state.isClosed = true
                if state.rounds > 0 { state.finishing = continuation }
                return state.rounds == 0
            }
            if isOver { continuation.resume() }
        }
    }

    private func add(_ reader: Reader) {
        let (refusal, begins) = state.withLock { state -> (StoreError?, Bool) in
            guard !state.isClosed else { return (.closed, false) }
            guard state.waiting.count < limits.waiting else { return (.busy, false) }
            state.waiting.append(reader)
            return (nil, state.beginsRound(limits))
        }
        if let refusal { reader.caller.resume(throwing: refusal) }
        if begins { pool.submit(ReadRound(for: self, by: reader.deadline)) }
    }

    fileprivate func takeRound() -> [Reader] {
        state.withLock { state in
            let readers = Array(state.waiting.prefix(limits.width))
            state.waiting.removeFirst(readers.count)
            return readers
        }
    }

    /// - Returns: the next round, where one is to begin.
    fileprivate func finishRound() -> ReadRound? {
        let (next, finishing) = state.withLock {
            state -> (ContinuousClock.Instant?, CheckedContinuation<Void, Never>?) in
            state.rounds -= 1
            if state.beginsRound(limits) { return (state.waiting[0].deadline, nil) }
            guard state.rounds == 0 else { return (nil, nil) }
            defer { state.finishing = nil }
            return (nil, state.finishing)
        }
        finishing?.resume()
        return next.map { ReadRound(for: self, by: $0) }
    }

    fileprivate func read(_ readers: [Reader], on connection: Connection, by deadline: ContinuousClock.Instant) throws {
        let read = try LayoutTable.layouts(of: readers.map(\.user), on: connection, by: deadline)
        try catalogs.notice(read.catalog, on: connection, by: deadline)
        // Who looks at a layout may be about to change it.
        memory.remember(
            zip(readers, read.layouts).compactMap { reader, found in
                (try? found.get().row).map { (reader.user, $0) }
            })
        for (reader, found) in zip(readers, read.layouts) {
            if case .failure(StoreError.damaged) = found { pool.counter.count { $0.damaged += 1 } }
            reader.caller.resume(with: found.map { LayoutEntry($0.layout) })
        }
    }
}

extension ReadQueue.State {
    fileprivate mutating func beginsRound(_ limits: ReadQueue.Limits) -> Bool {
        guard !waiting.isEmpty, rounds < limits.rounds else { return false }
        rounds += 1
        return true
    }
}

/// One round trip of the queue.
private final class ReadRound: Errand, @unchecked Sendable {
    // @unchecked: touched by the lane that carries it out alone.
    let deadline: ContinuousClock.Instant
    private let queue: ReadQueue
    private var readers: [ReadQueue.Reader]?

    init(for queue: ReadQueue, by deadline: ContinuousClock.Instant) {
        self.queue = queue
        self.deadline = deadline
    }

    func run(on connection: Connection) throws -> (any Errand)? {
        let readers = take()
        if !readers.isEmpty { try queue.read(readers, on: connection, by: deadline) }
        return queue.finishRound()
    }

    func fail(_ error: any Error) -> (any Errand)? {
        for reader in take() { reader.caller.resume(throwing: error) }
        return queue.finishRound()
    }

    private func take() -> [ReadQueue.Reader] {
        if let readers { return readers }
        let taken = queue.takeRound()
        readers = taken
        return taken
    }
}
