import LayoutApplication
import LayoutModel

/// Something that waits for its turn with a user.
protocol PendingWork: AnyObject, Sendable {
    var user: UserID { get }
    var deadline: ContinuousClock.Instant { get }
    /// Tells the caller that nothing came of it.
    func fail(_ error: any Error)
}

/// A change that waits to be decided, seen by the one who carries it out.
protocol PendingChange: PendingWork {
    var request: IdempotentRequest? { get }
    /// What is to be written. What is to be answered is kept for `succeed`.
    ///
    /// - Throws: whatever the rule throws.
    func decide(in transaction: any LayoutTransaction) throws -> (change: LayoutChange?, answer: RecordedAnswer?)
    /// Tells the caller what was decided last.
    func succeed()
    /// Tells the caller that the request had been answered before.
    func replay(_ answer: RecordedAnswer)
}

/// A change with the caller who waits for it.
final class Change<Value: Sendable>: PendingChange, @unchecked Sendable {
    // @unchecked: it goes from its caller to a lane, and from one lane to the next; the queue's lock is between them.
    let user: UserID
    let request: IdempotentRequest?
    let deadline: ContinuousClock.Instant
    private let rule: (any LayoutTransaction) throws -> Decision<Value>
    private let caller: CheckedContinuation<Settled<Value>, any Error>
    private var value: Value?

    init(
        of user: UserID, _ request: IdempotentRequest?, by deadline: ContinuousClock.Instant,
        _ rule: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Value>,
        for caller: CheckedContinuation<Settled<Value>, any Error>
    ) {
        self.user = user
        self.request = request
        self.deadline = deadline
        self.rule = rule
        self.caller = caller
    }

    func decide(in transaction: any LayoutTransaction) throws -> (change: LayoutChange?, answer: RecordedAnswer?) {
        let decision = try rule(transaction)
        value = decision.value
        return (decision.change, decision.answer)
    }

    func succeed() {
        guard let value else { return fail(StoreError.closed) }
        caller.resume(returning: .decided(value))
    }

    func replay(_ answer: RecordedAnswer) { caller.resume(returning: .replayed(answer)) }
    func fail(_ error: any Error) { caller.resume(throwing: error) }
}

/// The wish to have everything of a user deleted, with the caller who waits for it.
final class Erasure: PendingWork {
    let user: UserID
    let deadline: ContinuousClock.Instant
    /// Throws where the layout that is there is to stay; see `LayoutStore`.
    let check: @Sendable (StoredLayout?) throws -> Void
    private let caller: CheckedContinuation<Bool, any Error>

    init(
        of user: UserID, if check: @escaping @Sendable (StoredLayout?) throws -> Void,
        by deadline: ContinuousClock.Instant, for caller: CheckedContinuation<Bool, any Error>
    ) {
        self.user = user
        self.check = check
        self.deadline = deadline
        self.caller = caller
    }

    func succeed(_ hadAnything: Bool) { caller.resume(returning: hadAnything) }
    func fail(_ error: any Error) { caller.resume(throwing: error) }
}
