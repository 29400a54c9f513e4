import HTTP1
import LayoutSQLite
package import Metrics

/// How the transactions went that wrote.
final class CommitMetrics: MetricsSource {
    private let sizes = HistogramTable(.sizes)
    private let durations = HistogramTable(.durations)

    func count(_ changes: Int, _ duration: Duration) {
        sizes.observe(changes)
        durations.observe(Int(duration.nanoseconds))
    }

    func write(to text: inout MetricsText) {
        text.histogram("pegboard_commit_batch_size", "Changes that shared a transaction.", sizes)
        text.histogram(
            "pegboard_commit_duration_seconds", "A transaction that wrote, from BEGIN until it was on stable storage.",
            durations)
    }
}

extension SQLiteLayoutStore: MetricsSource {
    package func write(to text: inout MetricsText) {
        let (writes, cached) = (writes, cached)
        text.counter("pegboard_commits_total", "Transactions that wrote and became durable.", writes.commits)
        text.counter(
            "pegboard_commit_failures_total", "Transactions of which the storage refused a part or all.",
            writes.failures)
        text.gauge(
            "pegboard_storage_failing", "1 while the last transaction that had to write could not, else 0.",
            writes.isFailing ? 1 : 0)
        text.gauge("pegboard_changes_waiting", "Changes that wait for their transaction.", writes.waiting)
        text.counter(
            "pegboard_changes_refused_total", "Changes refused since too many were waiting.", writes.refused)
        text.counter(
            "pegboard_checkpoints_total", "Times that the write-ahead log was copied into the database.",
            by: "outcome", [("done", writes.checkpoints), ("failed", writes.failedCheckpoints)])
        text.counter(
            "pegboard_damaged_records_total", "Times that a row did not match its checksum, and was not given out.",
            damagedRecords)
        text.counter("pegboard_cache_hits_total", "Layouts found in memory.", cached.hits)
        text.counter("pegboard_cache_misses_total", "Layouts asked of the disk.", cached.misses)
        text.gauge("pegboard_cache_entries", "Layouts in memory.", cached.entries)
        text.gauge("pegboard_cache_bytes", "What they take, estimated.", cached.bytes)
    }
}
