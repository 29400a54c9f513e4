import LayoutApplication
import LayoutModel

/// Something that waits for its turn with a user.
protocol PendingWork: AnyObject, Sendable {
    var user: UserID { get }
    var deadline: ContinuousClock.Instant { get }
    /// Tells the caller that nothing came of it.
    func fail(_ error: any Error)
}

/// A change that waits to be decided, and whom to tell.
final class PendingChange: PendingWork, @unchecked Sendable {
    // @unchecked: it goes from its caller to a lane, and from one lane to the next; the queue's lock is between them.
    let user: UserID
    let request: IdempotentRequest?
    let deadline: ContinuousClock.Instant
    /// What is to be written. Throws whatever the rule throws.
    let decide: (any LayoutTransaction) throws -> Decision<Void>
    private let settle: (Result<Settled<Void>, any Error>) -> Void

    init(
        of user: UserID, _ request: IdempotentRequest?, by deadline: ContinuousClock.Instant,
        _ decide: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Void>,
        then settle: @escaping @Sendable (Result<Settled<Void>, any Error>) -> Void
    ) {
        self.user = user
        self.request = request
        self.deadline = deadline
        self.decide = decide
        self.settle = settle
    }

    /// Tells that what was decided last is done.
    func succeed() { settle(.success(.decided(()))) }
    /// Tells that the request had been answered before.
    func replay(_ answer: RecordedAnswer) { settle(.success(.replayed(answer))) }
    func fail(_ error: any Error) { settle(.failure(error)) }
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
