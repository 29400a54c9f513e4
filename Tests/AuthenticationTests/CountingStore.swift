import LayoutApplication
import LayoutModel
import Locking

/// A store that counts what is asked of it: a request that is refused must not ask anything.
final class CountingStore: LayoutStore {
    private let state = Mutex(State())

    private struct State {
        var reads = 0
        var layouts: [UserID: StoredLayout] = [:]
        var changes: [LayoutChange] = []
        var catalogs: [CatalogRecord] = []
    }

    /// Calls of any kind.
    var calls: Int { state.withLock { $0.reads + $0.changes.count + $0.catalogs.count } }
    var changes: [LayoutChange] { state.withLock { $0.changes } }
    var catalogs: [CatalogRecord] { state.withLock { $0.catalogs } }

    private func read<Value: Sendable>(_ body: (State) -> Value) -> Value {
        state.withLock { state in
            state.reads += 1
            return body(state)
        }
    }

    func layoutAtHand(of user: UserID) -> LayoutEntry? { read { _ in nil } }

    func layout(of user: UserID) async throws -> LayoutEntry {
        LayoutEntry(read { $0.layouts[user] ?? .never })
    }

    func update(
        _ user: UserID, request: IdempotentRequest?,
        _ decide: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Void>,
        then settle: @escaping @Sendable (Result<Settled<Void>, any Error>) -> Void
    ) {
        settle(
            Result {
                let decision = try decide(Transaction(current: read { $0.layouts[user] ?? .never }))
                if let change = decision.change { note(change, of: user) }
                return .decided(decision.value)
            })
    }

    private func note(_ change: LayoutChange, of user: UserID) {
        state.withLock { state in
            state.layouts[user] = change.layout
            state.changes.append(change)
        }
    }

    private struct Transaction: LayoutTransaction {
        let current: StoredLayout
        var versionFloor: Version { 0 }
        func list(at version: Version) throws -> PastList { version == 0 ? .kept(nil) : .expired(oldest: nil) }
    }

    func observeChanges(
        of watched: @escaping @Sendable () -> [UserID], _ observer: @escaping @Sendable ([ChangeFeed.Change]) -> Void
    ) {}
    func revisions(of user: UserID, below version: Version?, limit: Int) async throws -> [Revision] { read { _ in [] } }

    /// Every version there ever was.
    func revision(_ version: Version, of user: UserID) async throws -> Revision? {
        read { _ in
            Revision(
                layout: StoredLayout(favorites: [], version: version, updatedAt: 0), kind: .operations, origin: "",
                actor: "")
        }
    }

    func recordedRequests(of user: UserID) async throws -> [RecordedRequest] { read { _ in [] } }
    func erase(_ user: UserID, if check: @escaping @Sendable (StoredLayout?) throws -> Void) async throws -> Bool {
        try state.withLock { state in
            state.reads += 1
            try check(state.layouts[user] ?? .never)
            return state.layouts.removeValue(forKey: user) != nil
        }
    }
    func prune(revisionsBefore: Timestamp, requestsBefore: Timestamp) async throws -> Int { read { _ in 0 } }
    func layouts(after user: UserID?, limit: Int) async throws -> [(user: UserID, layout: StoredLayout)] {
        read { _ in [] }
    }

    func currentCatalog() async throws -> CatalogRecord? { read { $0.catalogs.last } }
    func catalog(revision: Int) async throws -> CatalogRecord? {
        read { $0.catalogs.first { $0.summary.revision == revision } }
    }
    func catalogRevisions(below revision: Int?, limit: Int) async throws -> [CatalogRecord.Summary] { read { _ in [] } }

    func publish(
        _ decide: @escaping @Sendable (CatalogRecord?) throws -> CatalogRecord
    ) async throws -> CatalogRecord {
        let record = try decide(read { $0.catalogs.last })
        state.withLock { $0.catalogs.append(record) }
        return record
    }

    func check() async throws { read { _ in } }
    func close() async {}
}
