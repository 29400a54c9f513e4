package import LayoutModel

/// The port behind which layouts and catalogs are kept. The store gives atomicity and durability, the caller's closure the
/// rule: a store knows no rule, and no HTTP.
///
/// What an adapter must hold is written as `StoreConformanceTests`.
package protocol LayoutStore: Sendable {
    /// The user's newest durable layout, where it can be had without waiting for anything. Never blocks; nil means ask
    /// `layout(of:)`.
    func layoutAtHand(of user: UserID) -> LayoutEntry?

    /// For threads that call `layoutAtHand` many times without waiting in between: from now on a call may leave something
    /// open for the next one on its thread.
    ///
    /// - Returns: lets go of that; to be called on the thread before it waits for anything. nil where nothing is left open.
    func shareReadsAtHand() -> (@Sendable () -> Void)?

    /// The user's newest durable layout; `StoredLayout.never` for one who was never stored.
    ///
    /// - Throws: `StoreError`.
    func layout(of user: UserID) async throws -> LayoutEntry

    /// Reads the user's layout, lets `decide` say what is to become of it, and makes that durable: the layout's row, its
    /// history row and the idempotency record in one transaction, or none of them.
    ///
    /// `decide` may be called from any thread, and again where the store has to retry: it must not block and must depend
    /// on its argument alone. Changes to one user are decided one after another. What else came of it, it keeps for its
    /// caller itself: a store that handed values back would be generic, and its code looked up at run time.
    ///
    /// - Parameters:
    ///   - request: identifies a repeated request. Where its record is kept already, `decide` is not called.
    ///   - settle: is called once, from any thread, after the change is on stable storage; or with whatever `decide` throws,
    ///     with nothing changed, `StoreError` or `IdempotencyKeyReused`. Others wait behind it: it must not block, nor call
    ///     the store.
    func update(
        _ user: UserID, request: IdempotentRequest?,
        _ decide: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Void>,
        then settle: @escaping @Sendable (Result<Settled<Void>, any Error>) -> Void)

    /// Calls `observer` with what each commit made durable, in the order of the commits and before those who made the
    /// changes are answered. Where others share the storage, it is also told of what they did to the users that `watched`
    /// names, within a second or so: of the newest version, and not always of those before it. To be set once, before the
    /// first change; both must not block, nor call the store.
    func observeChanges(
        of watched: @escaping @Sendable () -> [UserID], _ observer: @escaping @Sendable ([ChangeFeed.Change]) -> Void)

    /// Where others share the storage: calls `observer` with each catalog that has come into force, whoever published it,
    /// before anything that was read after that is decided on or returned. To be set once; it must not call the store.
    ///
    /// - Parameter observer: throws where it cannot read the catalog; whoever wanted something then gets `StoreError`.
    func observeCatalogs(_ observer: @escaping @Sendable (CatalogRecord) throws -> Void)

    /// The history kept, newest first: the versions below `version` (all for nil), at most `limit`.
    ///
    /// - Throws: `StoreError.damaged` where one of them is.
    func revisions(of user: UserID, below version: Version?, limit: Int) async throws -> [Revision]

    /// - Returns: nil where the version is older than the history kept, or was never made.
    func revision(_ version: Version, of user: UserID) async throws -> Revision?

    /// The requests of this user whose answers are kept, oldest first.
    func recordedRequests(of user: UserID) async throws -> [RecordedRequest]

    /// Deletes everything that is held about the user, damaged or not: layout, history, records of requests. Only that their
    /// versions were used stays, so that none is used twice. Those who watch see the layout of one who was never stored.
    ///
    /// - Parameter check: is shown the layout as it is at that moment, nil where it is damaged, and throws where it is to stay.
    ///   As for `update`, it may be called from any thread, and again.
    /// - Returns: whether there was anything.
    /// - Throws: whatever `check` throws, with nothing deleted; `StoreError`.
    func erase(_ user: UserID, if check: @escaping @Sendable (StoredLayout?) throws -> Void) async throws -> Bool

    /// Deletes what may go, a few rows at a time, between the changes of others: requests recorded before `requests`, and of
    /// each layout the oldest revisions as far as they were made before `revisions`, never the newest. So a history has no
    /// holes, even where the clock was set back while it was made.
    ///
    /// - Returns: how many rows went.
    /// - Throws: `CancellationError` where the task is cancelled, between two rows' turns.
    func prune(revisionsBefore revisions: Timestamp, requestsBefore requests: Timestamp) async throws -> Int

    /// The stored layouts in the order of their users' bytes: those after `user` (all for nil), at most `limit`. For work
    /// over all users, page by page: who is stored throughout comes exactly once.
    ///
    /// - Throws: `StoreError.damaged` where one of the page is: none is passed over unseen.
    func layouts(after user: UserID?, limit: Int) async throws -> [(user: UserID, layout: StoredLayout)]

    /// The catalog in force; nil before the first was published.
    func currentCatalog() async throws -> CatalogRecord?
    func catalog(revision: Int) async throws -> CatalogRecord?
    /// Newest first, without their documents: those below `revision` (all for nil), at most `limit`.
    func catalogRevisions(below revision: Int?, limit: Int) async throws -> [CatalogRecord.Summary]

    /// Makes a new revision durable: one write, however many users there are. `decide` gets the catalog in force.
    ///
    /// - Throws: whatever `decide` throws, with nothing changed; `StoreError`.
    func publish(
        _ decide: @escaping @Sendable (CatalogRecord?) throws -> CatalogRecord
    ) async throws -> CatalogRecord

    /// Whether the store answers now; for the readiness probe.
    func check() async throws

    /// Returns once whoever writes has done what was before it: a writer that is stuck keeps it waiting. Other than `check`
    /// it does not ask how the storage is, which no restart of the program would cure.
    func takeTurn() async

    /// Finishes what was accepted, then lets go of everything. No call may follow.
    func close() async
}

extension LayoutStore {
    package func shareReadsAtHand() -> (@Sendable () -> Void)? { nil }

    /// The same for a task, which waits.
    package func update(
        _ user: UserID, request: IdempotentRequest?,
        _ decide: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Void>
    ) async throws -> Settled<Void> {
        try await withCheckedThrowingContinuation { caller in
            update(user, request: request, decide) { caller.resume(with: $0) }
        }
    }

    /// For a store that this process has to itself: every publication comes through here.
    package func observeCatalogs(_ observer: @escaping @Sendable (CatalogRecord) throws -> Void) {}

    /// A store without one writer has taken its turn once it has answered, whatever it said.
    package func takeTurn() async { _ = try? await check() }
}
