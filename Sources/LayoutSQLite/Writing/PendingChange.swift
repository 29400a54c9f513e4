import LayoutApplication

/// A change that waits for its transaction, with the caller who waits for it. What it makes goes past it, to whoever made the
/// body: see `GroupCommit.change`.
final class PendingChange: @unchecked Sendable {
    // @unchecked: it goes from its caller to the writer's queue, and is touched there alone from then on.
    private let body: (WriteTransaction) throws -> Void
    private var caller: CheckedContinuation<Void, any Error>?
    private var failure: (any Error)? = StoreError.closed

    init(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Void, for caller: CheckedContinuation<Void, any Error>
    ) {
        self.body = body
        self.caller = caller
    }

    /// Does it, or keeps what it failed with.
    func run(in transaction: WriteTransaction) {
        do {
            try StoreError.translating { try body(transaction) }
            failure = nil
        } catch { failure = error }
    }

    /// What the storage said, where it refused this change.
    var refusal: StoreError? { failure as? StoreError }

    /// Tells the caller what came out. Once.
    func answer() {
        if let failure { caller?.resume(throwing: failure) } else { caller?.resume() }
        caller = nil
    }

    /// Tells the caller that nothing came of it.
    func answer(_ failure: StoreError) {
        self.failure = failure
        answer()
    }
}
