package import LayoutApplication
package import LayoutModel
import LayoutRecords

/// Layouts in a PostgreSQL database, which other servers may use as well. What is read is read there, and every change is a
/// compare-and-set on the row that it was decided on: read first, or guessed from memory.
package final class PostgresLayoutStore: LayoutStore {
    let pool: ConnectionPool
    private let reads: ReadQueue
    private let changes: ChangeQueue
    private let catalogs: CatalogNews
    private let memory: RowMemory
    private let teller: Teller
    private let watch: ChangeWatch
    /// Looks after changes that wait long.
    private let patrol: Task<Void, Never>

    init(pool: ConnectionPool, _ configuration: Configuration) {
        self.pool = pool
        catalogs = CatalogNews()
        memory = RowMemory(bytes: configuration.memoryBytes)
        teller = Teller()
        // More rounds share a flush of the disk; the queue keeps them few where it is quick (measured: decision 14).
        let (rounds, waiting) = (max(pool.settings.size / 2, 1), pool.settings.waitingLimit)
        reads = ReadQueue(pool: pool, catalogs: catalogs, memory: memory, .init(rounds: rounds, waiting: waiting))
        changes = ChangeQueue(
            pool: pool, catalogs: catalogs, memory: memory, teller: teller,
            historyKept: max(configuration.historyKept, 1), faults: configuration.faults,
            onRound: configuration.onRound, .init(rounds: rounds, waiting: waiting))
        watch = ChangeWatch(pool: pool, teller: teller, catalogs: catalogs)
        patrol = Task.detached(priority: .utility) { [changes] in
            while (try? await Task.sleep(for: .milliseconds(500))) != nil { changes.lookAfterWaiting() }
        }
    }

    /// Always nil: another server may have changed it a moment ago.
    package func layoutAtHand(of user: UserID) -> LayoutEntry? { nil }

    package func layout(of user: UserID) async throws -> LayoutEntry { try await reads.layout(of: user) }

    package func update(
        _ user: UserID, request: IdempotentRequest?,
        _ decide: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Void>,
        then settle: @escaping @Sendable (Result<Settled<Void>, any Error>) -> Void
    ) {
        let deadline = ContinuousClock.now + pool.settings.patience
        changes.add(PendingChange(of: user, request, by: deadline, decide, then: settle))
    }

    package func erase(
        _ user: UserID, if check: @escaping @Sendable (StoredLayout?) throws -> Void
    ) async throws -> Bool {
        let deadline = ContinuousClock.now + pool.settings.patience
        return try await withCheckedThrowingContinuation { caller in
            changes.add(Erasure(of: user, if: check, by: deadline, for: caller))
        }
    }

    package func observeChanges(
        of watched: @escaping @Sendable () -> [UserID], _ observer: @escaping @Sendable ([ChangeFeed.Change]) -> Void
    ) { teller.observe(of: watched, observer) }

    package func observeCatalogs(_ observer: @escaping @Sendable (CatalogRecord) throws -> Void) {
        catalogs.observe(observer)
    }

    package func layouts(after user: UserID?, limit: Int) async throws -> [(user: UserID, layout: StoredLayout)] {
        try await pool.perform { try LayoutTable.page(after: user, limit: limit, on: $0, by: $1) }
    }

    package func currentCatalog() async throws -> CatalogRecord? {
        try await pool.perform { try CatalogTable.current(on: $0, by: $1) }
    }

    package func catalog(revision: Int) async throws -> CatalogRecord? {
        try await pool.perform { try CatalogTable.catalog(revision: revision, on: $0, by: $1) }
    }

    package func catalogRevisions(below revision: Int?, limit: Int) async throws -> [CatalogRecord.Summary] {
        try await pool.perform { try CatalogTable.summaries(below: revision, limit: limit, on: $0, by: $1) }
    }

    package func publish(
        _ decide: @escaping @Sendable (CatalogRecord?) throws -> CatalogRecord
    ) async throws -> CatalogRecord {
        try await pool.perform { connection, deadline in
            while true {
                let current = try CatalogTable.current(on: connection, by: deadline)
                let record = try decide(current)
                guard record.summary.revision > current?.summary.revision ?? 0 else {
                    throw InvalidChange("catalog \(record.summary.revision) after \(current?.summary.revision ?? 0)")
                }
                // Where another came first, it is decided again on that one.
                if try CatalogTable.add(record, on: connection, by: deadline) { return record }
            }
        }
    }

    /// Asks a primary for one row, with less patience than a change has: who asks is a probe.
    package func check() async throws {
        try await pool.perform(within: .seconds(1)) { connection, deadline in
            let rows = try connection.read(
                "SELECT 1 FROM identity WHERE one = 1 AND NOT pg_is_in_recovery()", by: deadline)
            guard rows.count == 1 else { throw StoreError.unavailable(reason: "this is no primary of ours") }
        }
    }

    /// What is remembered of layouts, and how often a change could do with it.
    package var remembered: RowMemory.Counts { memory.counts }

    package var statistics: PoolStatistics {
        var statistics = pool.counter.current
        statistics.waiting = changes.waiting
        return statistics
    }

    package func close() async {
        await watch.stop()
        await changes.finish()
        patrol.cancel()
        await reads.finish()
        await pool.close()
    }
}
