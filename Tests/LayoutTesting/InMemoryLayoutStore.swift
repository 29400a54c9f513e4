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

    package func layoutAtHand(of user: UserID) -> LayoutEntry? {
        state.withLock { $0.isClosed ? nil : $0.entries[user] }
    }

    package func layout(of user: UserID) async throws -> LayoutEntry {
        try state.withLock { state in
            try state.checkOpen()
            return state.entry(of: user)
        }
    }

    package func update(
        _ user: UserID, request: IdempotentRequest?,
        _ decide: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Void>,
        then settle: @escaping @Sendable (Result<Settled<Void>, any Error>) -> Void
    ) {
        settle(Result { try state.withLock { try $0.update(user, request, decide) } })
    }

    package func observeChanges(
        of watched: @escaping @Sendable () -> [UserID], _ observer: @escaping @Sendable ([ChangeFeed.Change]) -> Void
    ) {
        state.withLock { $0.observer = observer }
    }

    package func layouts(after user: UserID?, limit: Int) async throws -> [(user: UserID, layout: StoredLayout)] {
        try state.withLock { state in
            try state.checkOpen()
            let after = Array(user?.text.utf8 ?? "".utf8)
            let stored = state.entries.filter {
                $0.value.layout != .never && after.lexicographicallyPrecedes($0.key.text.utf8)
            }
            let ordered = stored.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
            return ordered.prefix(max(limit, 0)).map { ($0.key, $0.value.layout) }
        }
    }

    package func revisions(of user: UserID, below version: Version?, limit: Int) async throws -> [Revision] {
        try state.withLock { state in
            try state.checkOpen()
            let below = state.histories[user, default: []].filter { $0.layout.version < version ?? .max }
            return Array(below.reversed().prefix(max(limit, 0)))
        }
    }

    package func revision(_ version: Version, of user: UserID) async throws -> Revision? {
        try state.withLock { state in
            try state.checkOpen()
            return state.histories[user, default: []].first { $0.layout.version == version }
        }
    }

    package func recordedRequests(of user: UserID) async throws -> [RecordedRequest] {
        try state.withLock { state in
            try state.checkOpen()
            // By bytes, as keys compare everywhere.
            return state.records.filter { $0.key.user == user }.sorted { left, right in
                if left.value.request.now != right.value.request.now {
                    return left.value.request.now < right.value.request.now
                }
                if left.key.scope != right.key.scope {
                    return left.key.scope.lexicographicallyPrecedes(right.key.scope)
                }
                return left.key.key.lexicographicallyPrecedes(right.key.key)
            }.map { _, record in
                RecordedRequest(
                    scope: record.request.scope, key: record.request.key, status: record.answer.status,
                    recordedAt: record.request.now)
            }
        }
    }

    package func erase(
        _ user: UserID, if check: @escaping @Sendable (StoredLayout?) throws -> Void
    ) async throws -> Bool {
        try state.withLock { state in
            try state.checkOpen()
            try check(state.entry(of: user).layout)
            return state.erase(user)
        }
    }

    package func prune(revisionsBefore revisions: Timestamp, requestsBefore requests: Timestamp) async throws -> Int {
        try state.withLock { try $0.prune(revisions, requests) }
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
    var histories: [UserID: [Revision]] = [:]
    var erased: [UserID: Version] = [:]
    var observer: @Sendable ([ChangeFeed.Change]) -> Void = { _ in }
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

    mutating func update(
        _ user: UserID, _ request: IdempotentRequest?, _ decide: (any LayoutTransaction) throws -> Decision<Void>
    ) throws -> Settled<Void> {
        try checkOpen()
        let key = request.map { RecordKey(user: user, scope: Array($0.scope.utf8), key: Array($0.key.utf8)) }
        if let request, let key, let record = records[key], record.request.now >= request.notBefore {
            guard record.request.fingerprint == request.fingerprint else { throw IdempotencyKeyReused() }
            return .replayed(record.answer)
        }
        let view = View(
            current: entry(of: user).layout, versionFloor: max(versionFloor, erased[user] ?? 0),
            history: histories[user, default: []])
        let decision = try decide(view)
        if let change = decision.change {
            guard change.layout.version > max(view.current.version, view.versionFloor) else {
                throw NumberDoesNotGrow()
            }
            apply(change, to: user)
        }
        if let request, let key, let answer = decision.answer {
            records[key] = Record(request: request, answer: answer)
        }
        return .decided(decision.value)
    }

    private mutating func apply(_ change: LayoutChange, to user: UserID) {
        let revision = Revision(layout: change.layout, kind: change.kind, origin: change.origin, actor: change.actor)
        entries[user] = LayoutEntry(change.layout)
        histories[user, default: []] = (histories[user, default: []] + [revision]).suffix(historyKept)
        observer([ChangeFeed.Change(user: user, layout: change.layout, origin: change.origin)])
    }

    mutating func erase(_ user: UserID) -> Bool {
        let version = entry(of: user).layout.version
        let records = records.filter { $0.key.user == user }
        guard version > 0 || !records.isEmpty else { return false }
        entries[user] = nil
        histories[user] = nil
        for key in records.keys { self.records[key] = nil }
        guard version > 0 else { return true }
        erased[user] = max(version, erased[user] ?? 0)
        observer([ChangeFeed.Change(user: user, layout: .never, origin: "")])
        return true
    }

    mutating func prune(_ revisionsBefore: Timestamp, _ requestsBefore: Timestamp) throws -> Int {
        try checkOpen()
        var count = 0
        for (user, history) in histories {
            let old = history.dropLast().prefix { $0.layout.updatedAt ?? 0 < revisionsBefore }
            let kept = Array(history.dropFirst(old.count))
            count += history.count - kept.count
            histories[user] = kept
        }
        for (key, record) in records where record.request.now < requestsBefore {
            records[key] = nil
            count += 1
        }
        return count
    }
}

private struct View: LayoutTransaction {
    let current: StoredLayout
    let versionFloor: Version
    let history: [Revision]

    func list(at version: Version) -> PastList {
        if version == 0 { return .kept(nil) }
        guard let past = history.first(where: { $0.layout.version == version }) else {
            return .expired(oldest: history.first?.layout.version)
        }
        return .kept(past.layout.favorites)
    }
}
