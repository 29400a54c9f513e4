import LayoutApplication
import LayoutModel

/// Something that waits for its turn with a user.
protocol PendingWork: AnyObject, Sendable {
    var user: UserID { get }
    var deadline: ContinuousClock.Instant { get }
    /// Tells the caller that nothing came of it.
    func fail(_ error: any Error)
}

/// A change that waits to be decided, with the caller who waits for it.
final class PendingChange: PendingWork, @unchecked Sendable {
    // @unchecked: it goes from its caller to a lane, and from one lane to the next; the queue's lock is between them.
    let user: UserID
    let request: IdempotentRequest?
    let deadline: ContinuousClock.Instant
    /// What is to be written. Throws whatever the rule throws.
    let decide: (any LayoutTransaction) throws -> Decision<Void>
    private let caller: CheckedContinuation<Settled<Void>, any Error>

    init(
        of user: UserID, _ request: IdempotentRequest?, by deadline: ContinuousClock.Instant,
        _ decide: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Void>,
        for caller: CheckedContinuation<Settled<Void>, any Error>
    ) {
        self.user = user
        self.request = request
        self.deadline = deadline
        self.decide = decide
        self.caller = caller
    }

    /// Tells the caller that what was decided last is done.
    func succeed() { caller.resume(returning: .decided(())) }
    /// Tells the caller that the request had been answered before.
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
