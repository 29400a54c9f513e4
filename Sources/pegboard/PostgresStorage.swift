import LayoutApplication
import LayoutMigrations
import LayoutRecords
import Metrics

#if PostgreSQL
    import LayoutPostgres

    /// Opens PostgreSQL as the storage, and says in exit codes why it cannot be.
    enum PostgresStorage {
        static func open(
            _ url: String, _ configuration: Configuration, _ log: Log?, _ commits: CommitMetrics?
        ) async throws -> any LayoutStore & MetricsSource {
            var store = try settings(url)
            store.historyKept = configuration.history
            store.memoryBytes = configuration.cacheBytes
            store.connections = configuration.databaseConnections
            store.connectionAge = configuration.databaseConnectionAge
            store.migrates = configuration.migrates
            // Clients are told that it failed; why stands in the log, once for all who shared the round.
            store.onRound = { report in
                guard let failure = report.failure else { return commits?.count(report.changes, report.duration) ?? () }
                log?.error(
                    "changes refused by the storage",
                    ["changes": .number(report.changes), "reason": .text(failure)])
            }
            #if DEBUG
                SeededFault.plant(in: &store)
            #endif
            return try await translating { [store] () throws(PostgresOpenError) in
                try await PostgresLayoutStore.open(store, clock: Machine.now) { setting in
                    log?.warning("a crash of the database can lose what was answered", ["off": .text(setting)])
                }
            }
        }

        static func schema(at url: String) async throws -> MigrationStatus {
            try await withPool(to: url) { pool throws(PostgresOpenError) in
                try await PostgresSchema(pool: pool, clock: Machine.now).status()
            }
        }

        static func audit(
            _ url: String, readCatalog: @escaping @Sendable (CatalogRecord) throws -> Void,
            progress: @escaping WorkProgress.Observer
        ) async throws -> AuditReport {
            try await withPool(to: url) { pool throws(PostgresOpenError) in
                try await PostgresAudit.run(on: pool, clock: Machine.now, readCatalog: readCatalog, progress: progress)
            }
        }

        static func renumber(_ url: String) async throws -> (versionFloor: Int64, catalogRevision: Int?) {
            let summary = try await withPool(to: url) { pool throws(PostgresOpenError) in
                try await Renumbering.run(on: pool, at: Machine.now()) {
                    try Copies.renumber($0, as: $1, at: $2, by: "pegboard renumber")
                }
            }
            return (summary.versionFloor, summary.catalogRevision)
        }

        static func migrate(_ url: String, dryRun: Bool) async throws -> [MigrationStatus.Step] {
            guard !dryRun else {
                throw CommandFailure(
                    .usage, "On PostgreSQL a migration cannot be taken back: --status says what is to come.")
            }
            return try await withPool(to: url) { pool throws(PostgresOpenError) in
                try await PostgresSchema(pool: pool, clock: Machine.now).migrate()
            }
        }

        private static func settings(_ url: String) throws -> PostgresLayoutStore.Configuration {
            let address = ServerAddress(url)
            guard address.isUnderstood else {
                // libpq's own words repeat what it stumbled over, and that can be a password.
                throw CommandFailure(
                    .badConfiguration,
                    "libpq does not understand the address in --database: a parameter is none of its own, "
                        + "or the password has a character that has to be percent-encoded.")
            }
            return PostgresLayoutStore.Configuration(address)
        }

        private static func withPool<Result>(
            to url: String, _ body: (ConnectionPool) async throws(PostgresOpenError) -> Result
        ) async throws -> Result {
            let pool = ConnectionPool(try settings(url).pool)
            do {
                let result = try await translating { () throws(PostgresOpenError) in
                    try await body(pool)
                }
                await pool.close()
                return result
            } catch {
                await pool.close()
                throw error
            }
        }

        private static func translating<Result>(
            _ body: () async throws(PostgresOpenError) -> Result
        ) async throws -> Result {
            do throws(PostgresOpenError) { return try await body() } catch {
                let code: ExitCode =
                    switch error {
                    case .unusable, .refused: .unavailable
                    case .foreign, .newer, .changedMigration: .badInput
                    case .needsMigration, .encoding: .badConfiguration
                    case .migrationUnderWay: .tryAgain
                    }
                throw CommandFailure(code, "\(error)")
            }
        }
    }
#else
    /// This program was built without PostgreSQL.
    enum PostgresStorage {
        private static let isAbsent = CommandFailure(
            .badConfiguration,
            "This program was built without PostgreSQL. Build it with: swift build -c release --traits PostgreSQL")

        static func open(
            _ url: String, _ configuration: Configuration, _ log: Log?, _ commits: CommitMetrics?
        ) async throws -> any LayoutStore & MetricsSource { throw isAbsent }

        static func schema(at url: String) async throws -> MigrationStatus { throw isAbsent }

        static func audit(
            _ url: String, readCatalog: @escaping @Sendable (CatalogRecord) throws -> Void,
            progress: @escaping WorkProgress.Observer
        ) async throws -> AuditReport { throw isAbsent }

        static func renumber(_ url: String) async throws -> (versionFloor: Int64, catalogRevision: Int?) {
            throw isAbsent
        }

        static func migrate(_ url: String, dryRun: Bool) async throws -> [MigrationStatus.Step] { throw isAbsent }
    }
#endif
