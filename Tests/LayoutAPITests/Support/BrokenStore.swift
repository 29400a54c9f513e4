import LayoutApplication
import LayoutModel
import LayoutTesting
import Locking

/// A store that can be made to throw one error whatever it is asked.
final class BrokenStore: LayoutStore {
    private let inner = InMemoryLayoutStore()
    private let error = Mutex<(any Error)?>(nil)

    func breakDown(with error: any Error) { self.error.withLock { $0 = error } }

    private func throwIfBroken() throws { if let error = error.withLock({ $0 }) { throw error } }

    func cachedLayout(of user: UserID) -> LayoutEntry? { nil }

    func layout(of user: UserID) async throws -> LayoutEntry {
        try throwIfBroken()
        return try await inner.layout(of: user)
    }

    func update<Value: Sendable>(
        _ user: UserID, request: IdempotentRequest?,
        _ decide: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Value>
    ) async throws -> Settled<Value> {
        try throwIfBroken()
        return try await inner.update(user, request: request, decide)
    }

    func layouts(after user: UserID?, limit: Int) async throws -> [(user: UserID, layout: StoredLayout)] {
        try throwIfBroken()
        return try await inner.layouts(after: user, limit: limit)
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
