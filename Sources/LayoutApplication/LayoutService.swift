package import LayoutModel

/// What can be done with layouts: reads them as a client sees them, and decides changes inside the store's transaction.
package struct LayoutService: Sendable {
    private let store: any LayoutStore
    private let catalogs: CatalogService
    private let feed: ChangeFeed
    private let clock: @Sendable () -> Timestamp
    package let statistics: StatisticsService

    /// - Parameter feed: is told of every change from now on.
    package init(
        store: any LayoutStore, catalogs: CatalogService, feed: ChangeFeed = ChangeFeed(),
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.feed = feed
        store.observeChanges(of: { feed.watchedUsers }, { feed.publish($0) })
        catalogs.observePublications { feed.publishCatalog() }
        self.store = store
        self.catalogs = catalogs
        self.clock = clock
        statistics = StatisticsService(store: store, catalogs: catalogs, clock: clock)
    }

    /// The layout where it can be had without waiting. Never blocks; nil means ask `layout(of:)`.
    package func layoutAtHand(of user: UserID) -> LayoutEntry? { store.layoutAtHand(of: user) }

    package func layout(of user: UserID) async throws -> LayoutEntry { try await store.layout(of: user) }

    /// The stored layout as `client` sees it under the catalog in force.
    package func view(_ stored: StoredLayout, for client: Client) -> LayoutView {
        LayoutView(stored, catalog: catalogs.catalog, client: client)
    }

    /// Begins to watch the user's layout; see `ChangeFeed`.
    package func watch(_ user: UserID) -> Watcher { feed.watch(user) }

    /// All that are stored, page by page; see `LayoutStore`.
    package func layouts(after user: UserID?, limit: Int) async throws -> [(user: UserID, layout: StoredLayout)] {
        try await store.layouts(after: user, limit: limit)
    }

    /// The history kept, newest first; see `LayoutStore`.
    package func revisions(of user: UserID, below version: Version?, limit: Int) async throws -> [Revision] {
        try await store.revisions(of: user, below: version, limit: limit)
    }

    package func revision(_ version: Version, of user: UserID) async throws -> Revision? {
        try await store.revision(version, of: user)
    }

    package func recordedRequests(of user: UserID) async throws -> [RecordedRequest] {
        try await store.recordedRequests(of: user)
    }

    /// Deletes everything that is held about the user.
    ///
    /// - Parameters:
    ///   - client: who asks: `precondition` is about the layout as they see it.
    ///   - isLockMinded: whether a layout that support has frozen stays. Erased it would come back without its lock.
    /// - Throws: `ChangeRefused` with the layout as it is; `StoreError`. Nothing is deleted then.
    package func erase(_ client: Client, if precondition: Precondition, mindingLock isLockMinded: Bool) async throws {
        let catalogs = catalogs
        _ = try await store.erase(client.user) { stored in
            // What cannot be read has to go as well: no tag names it, and nobody knows of a lock.
            let current = LayoutView(stored ?? .never, catalog: catalogs.catalog, client: client)
            if let failure = precondition.failure(on: stored == nil ? nil : current.tag.text) {
                throw ChangeRefused(reason: .precondition(failure), current: current)
            }
            if isLockMinded && current.stored.locked {
                throw ChangeRefused(reason: .rejected(Rejection(.layoutLocked)), current: current)
            }
        }
    }

    /// Whether the store answers.
    package func check() async throws { try await store.check() }

    /// Decides `change` on the layout as it is at that moment, and makes it durable.
    ///
    /// - Parameters:
    ///   - spent: notes how long it took.
    ///   - settle: gets what came of it, or the answer to the same request when it came first; or `ChangeRefused` with the
    ///     layout as it is, `IdempotencyKeyReused` or `StoreError`, and nothing is changed then. See `LayoutStore.update`.
    package func apply(
        _ change: ChangeRequest, noting spent: TimeSpent? = nil,
        then settle: @escaping @Sendable (Result<Settled<ChangeResult>, any Error>) -> Void
    ) {
        let attempt = ChangeAttempt(change, catalogs, clock, spent, settle)
        store.update(
            change.client.user, request: change.repeatable?.request, { try attempt.decide(in: $0) },
            then: { attempt.end($0) })
    }

    /// The same for a task, which waits.
    package func apply(_ change: ChangeRequest) async throws -> Settled<ChangeResult> {
        try await withCheckedThrowingContinuation { caller in apply(change) { caller.resume(with: $0) } }
    }
}

/// A change on its way through the store, and what was decided on it last.
private final class ChangeAttempt: @unchecked Sendable {
    // @unchecked: `result` is set by whoever decides, before the store settles it.
    private let change: ChangeRequest
    private let catalogs: CatalogService
    private let clock: @Sendable () -> Timestamp
    private let spent: TimeSpent?
    private let began = ContinuousClock.now
    private let settle: @Sendable (Result<Settled<ChangeResult>, any Error>) -> Void
    private var result: ChangeResult?

    init(
        _ change: ChangeRequest, _ catalogs: CatalogService, _ clock: @escaping @Sendable () -> Timestamp,
        _ spent: TimeSpent?, _ settle: @escaping @Sendable (Result<Settled<ChangeResult>, any Error>) -> Void
    ) {
        self.change = change
        self.catalogs = catalogs
        self.clock = clock
        self.spent = spent
        self.settle = settle
    }

    func decide(in transaction: any LayoutTransaction) throws -> Decision<Void> {
        let began = ContinuousClock.now
        defer { spent?.decided(since: began) }
        let decision = try change.decide(in: transaction, catalog: catalogs.catalog, now: clock())
        result = decision.value
        return Decision(change: decision.change, value: (), answer: decision.answer)
    }

    func end(_ outcome: Result<Settled<Void>, any Error>) {
        spent?.settled(since: began)
        switch outcome {
        case .success(.decided):
            guard let result else { preconditionFailure("a store settled what was never decided") }
            settle(.success(.decided(result)))
        case .success(.replayed(let answer)): settle(.success(.replayed(answer)))
        case .failure(let error): settle(.failure(error))
        }
    }
}
