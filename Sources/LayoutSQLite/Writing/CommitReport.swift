package import LayoutApplication

/// How one transaction went; for metrics.
package struct CommitReport: Sendable {
    package let changes: Int
    /// False where none of the changes changed anything: then nothing was written.
    package let wrote: Bool
    package let duration: Duration
    /// What the storage said, of the whole or of one change.
    package let failure: StoreError?
    /// Changes that met a damaged row.
    package let damaged: Int
}

/// Counted since the store was opened.
package struct WriteStatistics: Equatable, Sendable {
    package private(set) var changes = 0
    /// Those that wait for their transaction now.
    package internal(set) var waiting = 0
    /// Those that found too many waiting.
    package internal(set) var refused = 0
    /// Transactions that wrote and became durable.
    package private(set) var commits = 0
    package private(set) var failures = 0
    /// Changes that met a damaged row.
    package private(set) var damaged = 0
    package private(set) var checkpoints = 0
    package private(set) var failedCheckpoints = 0
    /// Whether the last transaction that had to write could not.
    package private(set) var isFailing = false

    mutating func count(_ report: CommitReport) {
        changes += report.changes
        damaged += report.damaged
        if report.failure != nil {
            failures += 1
        } else if report.wrote {
            commits += 1
        }
        if case .unavailable = report.failure { isFailing = true } else if report.wrote { isFailing = false }
    }

    mutating func countCheckpoint(_ succeeded: Bool) {
        if succeeded { checkpoints += 1 } else { failedCheckpoints += 1 }
    }
}
