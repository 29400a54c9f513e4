/// What a device does next, given what it knows and what came back: sends, asks, waits. A value; time comes in as a
/// number and chance as a generator, so that a whole life can be played through without either.
package struct QueueMachine: Sendable {
    package var sync: SyncState
    private var backoff: Backoff
    private var failures = 0
    /// No request before this moment; by a clock that only goes on.
    private var notBefore: Duration?
    private var isAskedToWait = false
    /// Why nothing is sent until somebody has done something: signed in, mended the configuration.
    package private(set) var halted: PegboardError.Problem?

    package init(sync: SyncState, backoff: Backoff = Backoff()) {
        self.sync = sync
        self.backoff = backoff
    }

    package enum Step: Equatable {
        case send(SealedEdits)
        case getLayout
        case getCatalog
        case wait(Duration)
        case halted
        case idle
    }

    /// A request that is under way comes first: until it is answered, nobody knows what the list is.
    package mutating func next(now: Duration, target: String, makeKey: () -> String) -> Step {
        if halted != nil { return .halted }
        if !hasWork { return .idle }
        if let notBefore, now < notBefore { return .wait(notBefore - now) }
        if let sealed = sync.sealed { return .send(sealed) }
        if sync.needsLayout { return .getLayout }
        if sync.needsCatalog { return .getCatalog }
        return sync.seal(key: makeKey(), target: target).map(Step.send) ?? .idle
    }

    private var hasWork: Bool {
        sync.sealed != nil || sync.needsLayout || sync.needsCatalog || !sync.open.isEmpty
    }

    package mutating func took(_ layout: LayoutSnapshot) {
        calm()
        sync.receive(layout, isCurrent: true)
    }

    package mutating func took(_ catalog: CatalogSnapshot) {
        calm()
        sync.receive(catalog)
    }

    package mutating func took(_ change: LayoutChange, key: String) {
        calm()
        sync.settle(change, key: key)
    }

    /// - Parameters:
    ///   - key: of the edits that were sent; nil where something was asked.
    ///   - now: since any moment, as for every other call.
    ///   - random: see ``Backoff``.
    package mutating func failed(
        _ error: PegboardError, key: String?, now: Duration, using random: inout some RandomNumberGenerator
    ) {
        if case .problem(let problem) = error, !problem.isPassing {
            // Only the service itself may drop an edit: a page of some proxy between says nothing about it.
            if let key, problem.isVerdict {
                calm()
                sync.refuse(problem, key: key)
            } else {
                halted = problem
            }
            return
        }
        isAskedToWait = error.retryAfter != nil
        notBefore = now + backoff.delay(attempt: failures, retryAfter: error.retryAfter, using: &random)
        failures += 1
    }

    /// Somebody thinks that it may work now. What the service asked for is still waited for.
    package mutating func resume() {
        halted = nil
        failures = 0
        if !isAskedToWait { notBefore = nil }
    }

    private mutating func calm() {
        failures = 0
        notBefore = nil
        isAskedToWait = false
    }
}

extension PegboardError.Problem {
    /// Whether it says of a write that it will not be made as it is.
    fileprivate var isVerdict: Bool {
        [400, 409, 412, 413, 422, 428, 431].contains(status) && !code.rawValue.hasPrefix("http_")
    }
}
