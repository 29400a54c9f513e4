import LayoutApplication
import LayoutModel
import LayoutTesting
import Locking

/// A store that can be made to throw one error whatever it is asked, and counts the pages of layouts that it gave.
final class BrokenStore: LayoutStore {
    private let inner = InMemoryLayoutStore()
    private let error = Mutex<(any Error)?>(nil)
    private let pageCount = Mutex(0)

    var pages: Int { pageCount.withLock { $0 } }

    func breakDown(with error: any Error) { self.error.withLock { $0 = error } }

    func mend() { error.withLock { $0 = nil } }

    private func throwIfBroken() throws { if let error = error.withLock({ $0 }) { throw error } }

    func layoutAtHand(of user: UserID) -> LayoutEntry? { nil }

    func layout(of user: UserID) async throws -> LayoutEntry {
        try throwIfBroken()
        return try await inner.layout(of: user)
    }

    func update(
        _ user: UserID, request: IdempotentRequest?,
        _ decide: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Void>,
        then settle: @escaping @Sendable (Result<Settled<Void>, any Error>) -> Void
    ) {
        if let error = error.withLock({ $0 }) { return settle(.failure(error)) }
        inner.update(user, request: request, decide, then: settle)
    }

    func layouts(after user: UserID?, limit: Int) async throws -> [(user: UserID, layout: StoredLayout)] {
        try throwIfBroken()
        pageCount.withLock { $0 += 1 }
        // Those who ask meanwhile have their turn.
        await Task.yield()
        return try await inner.layouts(after: user, limit: limit)
    }

    func observeChanges(
        of watched: @escaping @Sendable () -> [UserID], _ observer: @escaping @Sendable ([ChangeFeed.Change]) -> Void
    ) {
        inner.observeChanges(of: watched, observer)
    }

    func revisions(of user: UserID, below version: Version?, limit: Int) async throws -> [Revision] {
        try throwIfBroken()
        return try await inner.revisions(of: user, below: version, limit: limit)
    }

    func revision(_ version: Version, of user: UserID) async throws -> Revision? {
        try throwIfBroken()
        return try await inner.revision(version, of: user)
    }

    func recordedRequests(of user: UserID) async throws -> [RecordedRequest] {
        try throwIfBroken()
        return try await inner.recordedRequests(of: user)
    }

    func erase(_ user: UserID, if check: @escaping @Sendable (StoredLayout?) throws -> Void) async throws -> Bool {
        try throwIfBroken()
        return try await inner.erase(user, if: check)
    }

    func prune(revisionsBefore revisions: Timestamp, requestsBefore requests: Timestamp) async throws -> Int {
        try throwIfBroken()
        return try await inner.prune(revisionsBefore: revisions, requestsBefore: requests)
    }

    func currentCatalog() async throws -> CatalogRecord? {
        try throwIfBroken()
        return try await inner.currentCatalog()
    }

    func catalog(revision: Int) async throws -> CatalogRecord? {
        try throwIfBroken()
        return try await inner.catalog(revision: revision)
    }

    func catalogRevisions(below revision: Int?, limit: Int) async throws -> [CatalogRecord.Summary] {
        try throwIfBroken()
        return try await inner.catalogRevisions(below: revision, limit: limit)
    }

    func publish(_ decide: @escaping @Sendable (CatalogRecord?) throws -> CatalogRecord) async throws -> CatalogRecord {
        try throwIfBroken()
        return try await inner.publish(decide)
    }

    func check() async throws { try throwIfBroken() }

    func close() async { await inner.close() }
}
