package import LayoutApplication
package import LayoutModel
import LayoutRecords

/// Layouts in one SQLite file, for one process: reads from memory or from connections that only read, changes through the
/// one connection that writes.
package final class SQLiteLayoutStore: LayoutStore {
    private let cache: LayoutCache
    let readers: ReaderPool
    let writer: GroupCommit
    private let lock: FileLock?
    private let historyKept: Int

    init(cache: LayoutCache, readers: ReaderPool, writer: GroupCommit, lock: FileLock?, historyKept: Int) {
        self.cache = cache
        self.readers = readers
        self.writer = writer
        self.lock = lock
        self.historyKept = historyKept
    }

    package func layoutAtHand(of user: UserID) -> LayoutEntry? {
        if let entry = cache.entry(of: user) { return entry }
        let ticket = cache.ticket(for: user)
        guard let layout = readers.readAtOnce({ try $0.layouts.layout(of: user) }) else { return nil }
        return cache.settle(layout, of: user, read: ticket)
    }

    package func shareReadsAtHand() -> (@Sendable () -> Void)? { readers.shareReads() }

    package func layout(of user: UserID) async throws -> LayoutEntry {
        if let entry = cache.peek(at: user) { return entry }
        let ticket = cache.ticket(for: user)
        let layout = try await readers.read { try $0.layouts.layout(of: user) }
        return cache.settle(layout, of: user, read: ticket)
    }

    package func update(
        _ user: UserID, request: IdempotentRequest?,
        _ decide: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Void>,
        then settle: @escaping @Sendable (Result<Settled<Void>, any Error>) -> Void
    ) {
        let update = LayoutUpdate(of: user, request, historyKept: historyKept, decide, then: settle)
        writer.perform({ try update.run(in: $0) }, then: { update.end($0) })
    }

    package func observeChanges(
        of watched: @escaping @Sendable () -> [UserID], _ observer: @escaping @Sendable ([ChangeFeed.Change]) -> Void
    ) { writer.observe(observer) }

    package func layouts(after user: UserID?, limit: Int) async throws -> [(user: UserID, layout: StoredLayout)] {
        try await readers.read { try $0.layouts.layouts(after: user, limit: limit) }
    }

    package func currentCatalog() async throws -> CatalogRecord? {
        try await readers.read { try $0.catalogs.current() }
    }

    package func catalog(revision: Int) async throws -> CatalogRecord? {
        try await readers.read { try $0.catalogs.catalog(revision: revision) }
    }

    package func catalogRevisions(below revision: Int?, limit: Int) async throws -> [CatalogRecord.Summary] {
        try await readers.read { try $0.catalogs.summaries(below: revision, limit: limit) }
    }

    package func publish(
        _ decide: @escaping @Sendable (CatalogRecord?) throws -> CatalogRecord
    ) async throws -> CatalogRecord {
        try await writer.change { transaction in
            let current = try transaction.tables.catalogs.current()
            let record = try decide(current)
            guard record.summary.revision > current?.summary.revision ?? 0 else {
                throw InvalidChange("catalog \(record.summary.revision) after \(current?.summary.revision ?? 0)")
            }
            try transaction.write { try transaction.tables.catalogs.add(record) }
            return record
        }
    }

    /// Reads; and, where the last change could not be written, tries to write, so that a store is found well again without
    /// a client's change.
    package func check() async throws {
        _ = try await readers.read { try $0.identity.identity() }
        guard writer.statistics.isFailing else { return }
        try await writer.change { transaction in
            try transaction.write { try transaction.tables.identity.markStart() }
        }
    }

    package func takeTurn() async { await writer.takeTurn() }

    package func close() async {
        await writer.finish()
        await readers.close()
        // The last to close empties the log and deletes it.
        await writer.close()
        cache.removeAll()
        lock?.release()
    }

    /// Runs `body` on the connection that writes, between two transactions. For maintenance, and for tests of faults.
    package func onWriter<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await writer.onConnection(body)
    }

    package var writes: WriteStatistics { writer.statistics }
    package var cached: LayoutCache.Counts { cache.counts }
    /// How often a read or a change met a damaged row since the store was opened.
    package var damagedRecords: Int { readers.damaged + writer.statistics.damaged }
}
