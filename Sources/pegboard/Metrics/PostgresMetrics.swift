#if PostgreSQL
    import LayoutPostgres
    package import Metrics

    extension PostgresLayoutStore: MetricsSource {
        package func write(to text: inout MetricsText) {
            let statistics = statistics
            text.counter("pegboard_commits_total", "Transactions that wrote and became durable.", statistics.commits)
            text.counter(
                "pegboard_commit_failures_total", "Transactions of which the storage refused a part or all.",
                statistics.failures)
            text.gauge(
                "pegboard_storage_failing", "1 while the last transaction that had to write could not, else 0.",
                statistics.isFailing ? 1 : 0)
            text.gauge("pegboard_changes_waiting", "Changes that wait for their transaction.", statistics.waiting)
            text.counter(
                "pegboard_damaged_records_total",
                "Times that a row did not match its checksum, and was not given out.", statistics.damaged)
            let remembered = remembered
            text.counter(
                "pegboard_cache_hits_total", "Changes decided on a layout that was remembered.", remembered.hits)
            text.counter(
                "pegboard_cache_misses_total", "Changes whose layout had to be read first.", remembered.misses)
            text.gauge("pegboard_cache_entries", "Layouts in memory.", remembered.rows)
            text.gauge("pegboard_cache_bytes", "What they take, estimated.", remembered.bytes)
            text.counter(
                "pegboard_database_connections_opened_total", "Connections to PostgreSQL that were opened.",
                statistics.opened)
            text.counter(
                "pegboard_database_retries_total", "Statements that were tried again.", by: "reason",
                [("conflict", statistics.conflicts), ("reconnect", statistics.reconnects)])
            text.counter(
                "pegboard_unknown_outcomes_total", "Changes of which nobody knows whether they were made.",
                statistics.unknown)
        }
    }
#endif
