import LayoutApplication

/// A change that waits for its transaction, with the caller who waits for it. What it makes goes past it, to whoever made the
/// body: see `GroupCommit.change`.
final class PendingChange: @unchecked Sendable {
    // @unchecked: it goes from its caller to the writer's queue, and is touched there alone from then on.
    private let body: (WriteTransaction) throws -> Void
    @exclusivity(unchecked) private var caller: CheckedContinuation<Void, any Error>?
    @exclusivity(unchecked) private var outcome = Outcome.none

    private enum Outcome {
        case none
        case made
        case failed(any Error)
    }

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
            outcome = .made
        } catch { outcome = .failed(error) }
    }

    /// What the storage said, where it refused this change.
    var refusal: StoreError? { if case .failed(let error) = outcome { error as? StoreError } else { nil } }

    /// Tells the caller what came out. Once.
    func answer() {
        switch outcome {
        case .none: caller?.resume(throwing: StoreError.closed)
        case .made: caller?.resume()
        case .failed(let error): caller?.resume(throwing: error)
        }
        caller = nil
    }

    /// Tells the caller that nothing came of it.
    func answer(_ failure: StoreError) {
        outcome = .failed(failure)
        answer()
    }
}
