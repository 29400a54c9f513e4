import LayoutApplication

/// A change that waits for its transaction, seen by the one who runs it.
protocol PendingChange: AnyObject, Sendable {
    /// Does it, or keeps what it failed with.
    func run(in transaction: WriteTransaction)
    /// What the storage said, where it refused this change.
    var refusal: StoreError? { get }
    /// Tells the caller what came out. Once.
    func answer()
    /// Tells the caller that nothing came of it.
    func answer(_ failure: StoreError)
}

/// A change with the caller who waits for it.
final class Change<Value: Sendable>: PendingChange, @unchecked Sendable {
    // @unchecked: it goes from its caller to the writer's queue, and is touched there alone from then on.
    private let body: (WriteTransaction) throws -> Value
    private var caller: CheckedContinuation<Value, any Error>?
    private var outcome: Result<Value, any Error>?

    init(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Value,
        for caller: CheckedContinuation<Value, any Error>
    ) {
        self.body = body
        self.caller = caller
    }

    func run(in transaction: WriteTransaction) {
        outcome = Result { try StoreError.translating { try body(transaction) } }
    }

    var refusal: StoreError? {
        guard case .failure(let error as StoreError) = outcome else { return nil }
        return error
    }

    func answer() { resume(with: outcome ?? .failure(StoreError.closed)) }

    func answer(_ failure: StoreError) { resume(with: .failure(failure)) }

    private func resume(with result: Result<Value, any Error>) {
        caller?.resume(with: result)
        caller = nil
    }
}
