import Locking

/// Counted since the store was opened.
package struct PoolStatistics: Equatable, Sendable {
    /// Connections.
    package var opened = 0
    /// Tries that followed on a conflict between transactions, and on a connection or a server that was of no use any more.
    package var conflicts = 0
    package var reconnects = 0
    /// Rounds that wrote and were committed, and such as the storage refused.
    package var commits = 0
    package var failures = 0
    /// Whether the last round that had to write could not.
    package var isFailing = false
    /// Changes of which nobody knows whether they were made.
    package var unknown = 0
    /// How often a damaged row was met.
    package var damaged = 0
    /// Changes that wait now.
    package var waiting = 0
}

/// Where everybody counts.
final class PoolCounter: Sendable {
    private let statistics = Mutex(PoolStatistics())

    var current: PoolStatistics { statistics.withLock { $0 } }

    func count(_ change: (inout PoolStatistics) -> Void) { statistics.withLock { change(&$0) } }
}
