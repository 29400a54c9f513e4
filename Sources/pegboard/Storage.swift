import LayoutApplication
import LayoutMigrations
import LayoutSQLite
import Metrics

/// Opens the configured storage, and says in exit codes why it cannot be.
enum Storage {
    /// - Parameter commits: told of every transaction.
    static func open(
        _ configuration: Configuration, log: Log? = nil, commits: CommitMetrics? = nil
    ) async throws -> any LayoutStore & MetricsSource {
        switch configuration.database {
        case .file(let path): try openSQLite(.file(path), configuration, log, commits)
        case .memory: try openSQLite(.memory, configuration, log, commits)
        case .postgreSQL(let url): try await PostgresStorage.open(url, configuration, log, commits)
        }
    }

    private static func openSQLite(
        _ location: SQLiteLayoutStore.Configuration.Location, _ configuration: Configuration, _ log: Log?,
        _ commits: CommitMetrics?
    ) throws -> SQLiteLayoutStore {
        var store = SQLiteLayoutStore.Configuration(location)
        store.historyKept = configuration.history
        store.cacheBytes = configuration.cacheBytes
        store.migrates = configuration.migrates
        // Clients are told that it failed; why stands in the log, once for all who shared the transaction.
        store.onCommit = { report in
            if report.wrote, report.failure == nil { commits?.count(report.changes, report.duration) }
            guard case .unavailable(let reason) = report.failure else { return }
            log?.error(
                "transaction refused by the storage", ["changes": .number(report.changes), "reason": .text(reason)])
        }
        #if DEBUG
            SeededFault.plant(in: &store)
        #endif
        return try translating { () throws(OpenError) in try SQLiteLayoutStore.open(store) }
    }

    /// Where the schema stands.
    static func schema(of database: Configuration.Database) async throws -> MigrationStatus {
        switch database {
        case .file(let path): try translating { () throws(OpenError) in try SQLiteSchema.status(ofDatabaseAt: path) }
        case .memory: throw nothingToMigrate
        case .postgreSQL(let url): try await PostgresStorage.schema(at: url)
        }
    }

    /// Brings the schema to this program's, or only tries to.
    ///
    /// - Returns: what was applied, or would be.
    static func migrate(_ database: Configuration.Database, dryRun: Bool) async throws -> [MigrationStatus.Step] {
        switch database {
        case .file(let path):
            try translating { () throws(OpenError) in try SQLiteSchema.migrate(databaseAt: path, dryRun: dryRun) }
        case .memory: throw nothingToMigrate
        case .postgreSQL(let url): try await PostgresStorage.migrate(url, dryRun: dryRun)
        }
    }

    private static let nothingToMigrate = CommandFailure(.usage, "A database in memory has nothing to migrate.")

    private static func translating<Result>(_ body: () throws(OpenError) -> Result) throws -> Result {
        do throws(OpenError) { return try body() } catch { throw failure(error) }
    }

    static func failure(_ error: OpenError) -> CommandFailure {
        let code: ExitCode =
            switch error {
            case .inUse, .cannotCreate, .cannotWrite: .cannotCreate
            case .empty, .foreign, .newer, .changedMigration, .damaged: .badInput
            case .needsMigration: .badConfiguration
            case .io: .unavailable
            }
        return CommandFailure(code, "\(error)")
    }

    /// What the storage refused after it had been opened.
    static func failure(_ error: StoreError) -> CommandFailure {
        switch error {
        case .damaged(let what): CommandFailure(.badInput, "The database is damaged: \(what). Restore a backup.")
        case .unavailable(let reason): CommandFailure(.unavailable, "The storage refused: \(reason).")
        case .unknownOutcome(let reason):
            CommandFailure(
                .unavailable, "Whether it was done is not known: \(reason). Look, and do it again if need be.")
        case .busy, .closed: CommandFailure(.tryAgain, "The storage takes nothing at the moment.")
        }
    }
}
