import Dispatch
import LayoutApplication
import LayoutModel
import Locking

/// The writer: whatever waits when it comes to write goes into one transaction and is answered after its COMMIT. A change
/// that comes alone is written at once; those that come meanwhile share the next commit, and so one `fsync`.
final class GroupCommit: @unchecked Sendable {
    // @unchecked: all but `state` is touched on the connection's queue alone.
    private let home: ConnectionQueue
    private let statements: TransactionStatements
    private let transaction: WriteTransaction
    private let cache: LayoutCache
    private let commits: CommitCount
    private let settings: WriteSettings
    private let state = Mutex(State())
    private let clock = ContinuousClock()
    private var checkpoints: CheckpointPlan
    private var isWaitingForQuiet = false

    private struct State {
        var waiting: [PendingChange] = []
        /// Whether the queue has been told that something waits.
        var isScheduled = false
        var isClosed = false
        var observer: @Sendable ([ChangeFeed.Change]) -> Void = { _ in }
        var statistics = WriteStatistics()
    }

    init(
        on home: ConnectionQueue, cache: LayoutCache, commits: CommitCount, versionFloor: Version,
        _ settings: WriteSettings
    ) throws {
        self.home = home
        self.cache = cache
        self.commits = commits
        self.settings = settings
        statements = try TransactionStatements(home.connection)
        transaction = WriteTransaction(home.tables, cache: cache, versionFloor: versionFloor)
        checkpoints = CheckpointPlan(bound: settings.checkpointPages)
    }

    /// Runs `body` inside a transaction.
    ///
    /// - Parameter settle: is called once that is durable, or with what `body` throws, or `StoreError`: on the writer's own
    ///   thread, before its next transaction.
    func perform(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Void,
        then settle: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        enqueue(PendingChange(body, then: settle))
    }

    /// The same for a task, which waits, with what `body` gives. An accepted change is made even if the task is cancelled.
    func change<Value: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> Value) async throws -> Value {
        let made = Made<Value>()
        try await withCheckedThrowingContinuation { caller in
            perform({ made.value = try body($0) }, then: { caller.resume(with: $0) })
        }
        #if THREAD_SANITIZER
            // The sanitizer doesn't see that the writer came first where it was done before this had begun to wait.
            state.withLock { _ in }
        #endif
        guard let value = made.value else { throw StoreError.closed }
        return value
    }

    /// A change's value on its way to the caller. Large ones are moved once, and not from hand to hand.
    private final class Made<Value: Sendable>: @unchecked Sendable {
        // @unchecked: set by the writer before it answers, read by the caller after that.
        var value: Value?
    }

    /// Runs `body` between two transactions.
    func onConnection<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await home.perform { try body($0.connection) }
    }

    func observe(_ observer: @escaping @Sendable ([ChangeFeed.Change]) -> Void) {
        state.withLock { $0.observer = observer }
    }

    var statistics: WriteStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.waiting.count
            return statistics
        }
    }

    /// Returns once the queue has come to something that was put in now.
    func takeTurn() async {
        await withCheckedContinuation { turn in home.queue.async { turn.resume() } }
    }

    /// Writes what was accepted; from now on nothing is.
    func finish() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { continuation in
            home.queue.async { [self] in
                while let batch = nextBatch() { write(batch) }
                continuation.resume()
            }
        }
    }

    func close() async { await home.close() }

    private func enqueue(_ change: PendingChange) {
        let (refusal, wakes) = state.withLock { state -> (StoreError?, Bool) in
            guard !state.isClosed else { return (.closed, false) }
            guard state.waiting.count < settings.waitingLimit else {
                state.statistics.refused += 1
                return (.busy, false)
            }
            state.waiting.append(change)
            defer { state.isScheduled = true }
            return (nil, !state.isScheduled)
        }
        if let refusal { change.answer(refusal) }
        if wakes { wake() }
    }

    /// One batch a work item: reads of an in-memory database, which share the queue, come in between.
    private func wake() {
        home.queue.async { [self] in
            if let batch = nextBatch() { write(batch) }
            checkpointIfDue()
            let more: Bool = state.withLock { state in
                state.isScheduled = !state.waiting.isEmpty
                return state.isScheduled
            }
            if more { wake() } else { checkpointWhenQuiet() }
        }
    }

    private func nextBatch() -> ArraySlice<PendingChange>? {
        state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            let batch = state.waiting.prefix(settings.batchLimit)
            state.waiting = Array(state.waiting.dropFirst(batch.count))
            return batch
        }
    }
}

// MARK: - One transaction

extension GroupCommit {
    private func write(_ batch: ArraySlice<PendingChange>) {
        let began = clock.now
        transaction.begin()
        do {
            try statements.begin.run()
            for place in batch.indices {
                try run(batch[place])
                if transaction.isHalfWritten { return takeApart(batch, at: place, since: began) }
            }
            if settings.answersBeforeCommit { for change in batch { change.answer() } }
            try commit()
        } catch {
            rollBack()
            // Also where SQLite calls the database malformed: no row of anybody's was looked at, nothing can be written.
            finish(batch, .unavailable(reason: "\(error)"), wrote: true, since: began)
            return
        }
        finish(batch, nil, wrote: transaction.hasWritten, since: began)
    }

    private func run(_ change: PendingChange) throws {
        change.run(in: transaction)
        guard !home.connection.isInTransaction else { return }
        throw change.refusal ?? .unavailable(reason: "SQLite rolled the transaction back")
    }

    /// Takes everything back where a change could not be written as a whole. Alone, it is refused; else those before it, it
    /// alone and those after it are decided and written anew, so that nobody is harmed by a neighbour.
    private func takeApart(_ batch: ArraySlice<PendingChange>, at place: Int, since began: ContinuousClock.Instant) {
        rollBack()
        if batch.count == 1 { return finish(batch, nil, wrote: true, since: began) }
        for part in [batch[..<place], batch[place...place], batch[(place + 1)...]] where !part.isEmpty { write(part) }
    }

    private func commit() throws {
        commits.commitBegins()
        defer { commits.commitEnds() }
        cache.commitBegins(transaction.changed.keys)
        do { try statements.commit.run() } catch {
            cache.commitFails(transaction.changed.keys)
            throw error
        }
        cache.commitEnds(transaction.changed)
        guard !transaction.changes.isEmpty else { return }
        state.withLock { $0.observer }(transaction.changes)
    }

    /// SQLite may have done it already; nothing of the batch stays in either case.
    private func rollBack() {
        if home.connection.isInTransaction { try? statements.rollback.run() }
    }

    private func finish(
        _ batch: ArraySlice<PendingChange>, _ failure: StoreError?, wrote: Bool,
        since began: ContinuousClock.Instant
    ) {
        let refusals = batch.compactMap(\.refusal)
        let report = CommitReport(
            changes: batch.count, wrote: wrote, duration: clock.now - began, failure: failure ?? refusals.first,
            damaged: refusals.count(where: \.isDamage))
        state.withLock { $0.statistics.count(report) }
        for change in batch {
            if let failure { change.answer(failure) } else { change.answer() }
        }
        settings.onCommit(report)
    }
}

// MARK: - Checkpoints

extension GroupCommit {
    private func checkpointIfDue() {
        if checkpoints.isDue(at: home.connection.walPages) {
            checkpoint(.passive)
        } else {
            home.connection.lengthenLog(upTo: settings.checkpointPages)
        }
    }

    /// Empties the log once nothing was written for a while: a short log is quick to recover, and a flipped bit in an old
    /// one would silently take every later commit with it.
    private func checkpointWhenQuiet() {
        guard !isWaitingForQuiet, home.connection.walPages > 0 else { return }
        isWaitingForQuiet = true
        let commits = statistics.commits
        home.queue.asyncAfter(deadline: .now() + settings.quietSeconds) { [weak self] in
            guard let self, !home.connection.isClosed else { return }
            isWaitingForQuiet = false
            if statistics.commits == commits { checkpoint(.truncate) } else { checkpointWhenQuiet() }
        }
    }

    private func checkpoint(_ kind: Connection.Checkpoint) {
        // Where it fails the log only stays longer, and the next one tries again.
        let succeeded = (try? home.connection.checkpoint(kind)) != nil
        state.withLock { $0.statistics.countCheckpoint(succeeded) }
    }
}
