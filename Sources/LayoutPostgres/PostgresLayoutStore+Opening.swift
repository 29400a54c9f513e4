package import LayoutMigrations

extension PostgresLayoutStore {
    package struct Configuration: Sendable {
        package var address: ServerAddress
        /// Versions of a layout that stay, the newest among them; at least 1.
        package var historyKept = 50
        /// For what is remembered of layouts; see `RowMemory`.
        package var memoryBytes = 64 << 20
        package var connections = 8
        /// How old a connection gets: some services end them after an hour, and a load balancer has to get a chance.
        package var connectionAge = Duration.seconds(1_800)
        /// How long a request waits for the database, all tries together.
        package var patience = Duration.seconds(5)
        /// How long a statement that is told to stop may take to do so.
        package var grace = Duration.seconds(1)
        /// Reads, changes, and other work that may wait; beyond it they are refused as `StoreError.busy`.
        package var waitingLimit = 4096
        /// The schema that this program knows.
        package var migrations: [Migration] = .postgreSQL
        /// False: a database that is older than that is refused.
        package var migrates = true
        /// Called on a lane after each round that had to write was answered.
        package var onRound: @Sendable (RoundReport) -> Void = { _ in }
        package var faults = Faults()

        package init(_ address: ServerAddress) { self.address = address }

        package var pool: ConnectionPool.Settings {
            .init(
                address: address, size: connections, connectionAge: connectionAge, patience: patience, grace: grace,
                waitingLimit: waitingLimit)
        }

        /// What a fault test breaks on purpose, to see itself fail. Nothing else may touch it.
        package struct Faults: Sendable {
            package var unknownOutcome = UnknownOutcome.isTold
            /// Refuses, and answers that there is nothing to change, on the word of `RowMemory`.
            package var believesMemory = false
            /// Takes a change for made whose compare-and-set found something else.
            package var takesLostForWon = false

            /// What becomes of a change of which nobody knows whether it was made.
            package enum UnknownOutcome: Sendable { case isTold, isTakenForDone, isTriedAgain }
        }
    }

    /// Connects, brings the schema to this program's, and looks whether the database keeps what it commits.
    ///
    /// - Parameter warn: told the name of each of the database's settings that would let an answered change be lost.
    package static func open(
        _ configuration: Configuration, clock: @escaping @Sendable () -> Int64,
        warn: (String) -> Void = { _ in }
    ) async throws(PostgresOpenError) -> PostgresLayoutStore {
        let pool = ConnectionPool(configuration.pool)
        do throws(PostgresOpenError) {
            let schema = PostgresSchema(pool: pool, clock: clock, migrations: configuration.migrations)
            let status = try await schema.status()
            if !status.pending.isEmpty {
                guard configuration.migrates else {
                    throw .needsMigration(found: status.steps.count - status.pending.count, known: status.steps.count)
                }
                _ = try await schema.migrate()
            }
            for setting in try await laxSettings(of: pool) { warn(setting) }
        } catch {
            await pool.close()
            throw error
        }
        return PostgresLayoutStore(pool: pool, configuration)
    }

    private static func laxSettings(of pool: ConnectionPool) async throws(PostgresOpenError) -> [String] {
        try await PostgresOpenError.telling {
            try await pool.perform { connection, deadline in
                let rows = try connection.read(
                    """
                    SELECT name FROM unnest($1) AS wanted (name)
                    WHERE current_setting(name, TRUE) = 'off'
                    """, [.texts(["fsync", "full_page_writes", "synchronous_commit"])], by: deadline)
                return rows.map { $0.text(0) }
            }
        }
    }
}
