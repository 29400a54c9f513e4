import Locking

/// Where the time of one request goes, noted on the way.
package final class TimeSpent: Sendable {
    private let durations = Mutex(Durations())

    package struct Durations: Sendable {
        /// The decision, inside the store's transaction.
        package var rule = Duration.zero
        /// The store, from the moment it was asked until the change was durable, without the decision.
        package var commit = Duration.zero
        /// Waiting for something to happen, as the client wanted.
        package var patience = Duration.zero
    }

    package init() {}

    package var soFar: Durations { durations.withLock { $0 } }

    package func decided(since began: ContinuousClock.Instant) {
        durations.withLock { $0.rule += began.duration(to: .now) }
    }

    /// - Parameter began: when the store was asked.
    package func settled(since began: ContinuousClock.Instant) {
        durations.withLock { $0.commit = began.duration(to: .now) - $0.rule }
    }

    package func waited(since began: ContinuousClock.Instant) {
        durations.withLock { $0.patience += began.duration(to: .now) }
    }
}
