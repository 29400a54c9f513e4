import LayoutApplication

/// A change that waits for its transaction, and whom to tell. What it makes goes past it, to whoever made the body: see
/// `GroupCommit.change`.
final class PendingChange: @unchecked Sendable {
    // @unchecked: it goes from its caller to the writer's queue, and is touched there alone from then on.
    private let body: (WriteTransaction) throws -> Void
    private let settle: (Result<Void, any Error>) -> Void
    /// nil until it was done.
    @exclusivity(unchecked) private var outcome: Result<Void, any Error>?
    @exclusivity(unchecked) private var isAnswered = false

    init(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Void,
        then settle: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        self.body = body
        self.settle = settle
    }

    /// Does it, or keeps what it failed with.
    func run(in transaction: WriteTransaction) {
        outcome = Result { try StoreError.translating { try body(transaction) } }
    }

    /// What the storage said, where it refused this change.
    var refusal: StoreError? { if case .failure(let error) = outcome { error as? StoreError } else { nil } }

    /// Tells what came out. Once.
    func answer() {
        if isAnswered { return }
        isAnswered = true
        settle(outcome ?? .failure(StoreError.closed))
    }

    /// Tells that nothing came of it.
    func answer(_ failure: StoreError) {
        outcome = .failure(failure)
        answer()
    }
}
