import LayoutApplication

/// Something to do on a connection, whichever is free first. Not on the threads that everybody shares.
protocol Errand: AnyObject, Sendable {
    /// When whoever waits for it gives up.
    var deadline: ContinuousClock.Instant { get }
    /// Does it; again, from the beginning, where it threw a `Setback` that another try may get over.
    ///
    /// - Returns: what is to be done next on the same connection: to give it to another would wake a thread for it.
    func run(on connection: Connection) throws -> (any Errand)?
    /// Tells whoever waits that nothing came of it. Nothing else is called after it.
    ///
    /// - Returns: as `run` does.
    func fail(_ error: any Error) -> (any Errand)?
}

/// An errand of one who waits for its result.
final class Inquiry<Result: Sendable>: Errand, @unchecked Sendable {
    // @unchecked: it goes from its caller to a lane, and `caller` is touched there alone from then on.
    let deadline: ContinuousClock.Instant
    private let body: @Sendable (Connection) throws -> Result
    private let caller: CheckedContinuation<Result, any Error>

    init(
        by deadline: ContinuousClock.Instant, _ body: @escaping @Sendable (Connection) throws -> Result,
        for caller: CheckedContinuation<Result, any Error>
    ) {
        self.deadline = deadline
        self.body = body
        self.caller = caller
    }

    func run(on connection: Connection) throws -> (any Errand)? {
        caller.resume(returning: try body(connection))
        return nil
    }

    func fail(_ error: any Error) -> (any Errand)? {
        caller.resume(throwing: error)
        return nil
    }
}
