import LayoutMigrations

extension PostgresLayoutStore {
    package struct Configuration: Sendable {
        package var address: ServerAddress
        /// Versions of a layout that stay, the newest among them; at least 1.
        package var historyKept = 50
        package var connections = 8
        /// How old a connection gets: some services end them after an hour, and a load balancer has to get a chance.
        package var connectionAge = Duration.seconds(1_800)
        /// How long a request waits for the database, all tries together.
        package var patience = Duration.seconds(5)
        /// How long a statement that is told to stop may take to do so.
        package var grace = Duration.seconds(1)
        /// Reads, changes, and other work that may wait; beyond it they are refused as `StoreError.busy`.
        package var waitingLimit = 4096
        /// False: a database that is older than this program is refused.
        package var migrates = true

        package init(_ address: ServerAddress) { self.address = address }

        var pool: ConnectionPool.Settings {
            .init(
                address: address, size: connections, connectionAge: connectionAge, patience: patience, grace: grace,
                waitingLimit: waitingLimit)
        }
    }

    /// Connects, brings the schema to this program's, and looks whether the database keeps what it commits.
    ///
    /// - Parameter warn: told what is not as it should be, for the log.
    package static func open(
        _ configuration: Configuration, clock: @escaping @Sendable () -> Int64,
        warn: (String) -> Void = { _ in }
    ) async throws(OpenError) -> PostgresLayoutStore {
        let pool = ConnectionPool(configuration.pool)
        do throws(OpenError) {
            let schema = PostgresSchema(pool: pool, clock: clock)
            let status = try await schema.status()
            if !status.pending.isEmpty {
                guard configuration.migrates else {
                    throw .needsMigration(found: status.steps.count - status.pending.count, known: status.steps.count)
                }
                _ = try await schema.migrate()
            }
            for warning in try await durabilityWarnings(pool) { warn(warning) }
        } catch {
            await pool.close()
            throw error
        }
        return PostgresLayoutStore(pool: pool, historyKept: max(configuration.historyKept, 1))
    }

    /// What would let an answered change be lost.
    private static func durabilityWarnings(_ pool: ConnectionPool) async throws(OpenError) -> [String] {
        try await OpenError.telling {
            try await pool.perform { connection, deadline in
                let rows = try connection.read(
                    """
                    SELECT current_setting(name, TRUE), name FROM unnest($1) AS wanted (name)
                    WHERE current_setting(name, TRUE) = 'off'
                    """, [.texts(["fsync", "full_page_writes", "synchronous_commit"])], by: deadline)
                return rows.map { "the database has \($0.text(1)) off: a crash of it can lose what was answered" }
            }
        }
    }
}
