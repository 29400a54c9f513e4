package import LayoutApplication
package import LayoutModel
import Locking

/// The port in its most obvious form: dictionaries behind one lock. For tests of what stands on a store, and a second
/// opinion to the conformance suite.
package final class InMemoryLayoutStore: LayoutStore {
    private let state: Mutex<State>

    package init(historyKept: Int = 50, versionFloor: Version = 0) {
        state = Mutex(State(historyKept: historyKept, versionFloor: versionFloor))
    }

    package func cachedLayout(of user: UserID) -> LayoutEntry? {
        state.withLock { $0.isClosed ? nil : $0.entries[user] }
    }

    package func layout(of user: UserID) async throws -> LayoutEntry {
        try state.withLock { state in
            try state.checkOpen()
            return state.entry(of: user)
        }
    }

    package func update<Value: Sendable>(
        _ user: UserID, request: IdempotentRequest?,
        _ decide: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Value>
    ) async throws -> Settled<Value> {
        try state.withLock { try $0.update(user, request, decide) }
    }

    package func currentCatalog() async throws -> CatalogRecord? {
        try state.withLock { state in
            try state.checkOpen()
            return state.catalogs.last
        }
    }

    package func catalog(revision: Int) async throws -> CatalogRecord? {
        try state.withLock { state in
            try state.checkOpen()
            return state.catalogs.first { $0.summary.revision == revision }
        }
    }

    package func catalogRevisions(below revision: Int?, limit: Int) async throws -> [CatalogRecord.Summary] {
        try state.withLock { state in
            try state.checkOpen()
            let below = state.catalogs.map(\.summary).filter { $0.revision < revision ?? .max }
            return Array(below.reversed().prefix(limit))
        }
    }

    package func publish(
        _ decide: @escaping @Sendable (CatalogRecord?) throws -> CatalogRecord
    ) async throws -> CatalogRecord {
        try state.withLock { state in
            try state.checkOpen()
            let record = try decide(state.catalogs.last)
            guard record.summary.revision > state.catalogs.last?.summary.revision ?? 0 else {
                throw NumberDoesNotGrow()
            }
            state.catalogs.append(record)
            return record
        }
    }

    package func check() async throws { try state.withLock { try $0.checkOpen() } }

    package func close() async { state.withLock { $0.isClosed = true } }
}

/// A version or a revision that does not come after the one before it.
private struct NumberDoesNotGrow: Error {}

private struct State {
    let historyKept: Int
    let versionFloor: Version
    var isClosed = false
    var entries: [UserID: LayoutEntry] = [:]
    var histories: [UserID: [StoredLayout]] = [:]
    var records: [RecordKey: Record] = [:]
    var catalogs: [CatalogRecord] = []

    /// The key's text by its bytes, as `UserID` does it.
    struct RecordKey: Hashable {
        let user: UserID
        let scope: [UInt8]
        let key: [UInt8]
    }

    struct Record {
        let request: IdempotentRequest
        let answer: RecordedAnswer
    }

    func checkOpen() throws {
        if isClosed { throw StoreError.closed }
    }

    mutating func entry(of user: UserID) -> LayoutEntry {
        let entry = entries[user] ?? LayoutEntry(.never)
        entries[user] = entry
        return entry
    }

    mutating func update<Value: Sendable>(
        _ user: UserID, _ request: IdempotentRequest?, _ decide: (any LayoutTransaction) throws -> Decision<Value>
    ) throws -> Settled<Value> {
        try checkOpen()
        let key = request.map { RecordKey(user: user, scope: Array($0.scope.utf8), key: Array($0.key.utf8)) }
        if let request, let key, let record = records[key], record.request.now >= request.notBefore {
            guard record.request.fingerprint == request.fingerprint else { throw IdempotencyKeyReused() }
            return .replayed(record.answer)
        }
        let view = View(
            current: entry(of: user).layout, versionFloor: versionFloor, history: histories[user, default: []])
        let decision = try decide(view)
        if let change = decision.change {
            guard change.layout.version > max(view.current.version, versionFloor) else { throw NumberDoesNotGrow() }
            apply(change.layout, to: user)
        }
        if let request, let key, let answer = decision.answer {
            records[key] = Record(request: request, answer: answer)
        }
        return .decided(decision.value)
    }

    private mutating func apply(_ layout: StoredLayout, to user: UserID) {
        entries[user] = LayoutEntry(layout)
        histories[user, default: []] = (histories[user, default: []] + [layout]).suffix(historyKept)
    }
}

private struct View: LayoutTransaction {
    let current: StoredLayout
    let versionFloor: Version
    let history: [StoredLayout]

    func list(at version: Version) -> PastList {
        if version == 0 { return .kept(nil) }
        guard let past = history.first(where: { $0.version == version }) else {
            return .expired(oldest: history.first?.version)
        }
        return .kept(past.favorites)
    }
}
