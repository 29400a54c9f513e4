import LayoutApplication
import LayoutSQLite

/// Opens the configured storage, and says in exit codes why it cannot be.
enum Storage {
    /// - Parameter commits: told of every transaction.
    static func open(
        _ configuration: Configuration, log: Log? = nil, commits: CommitMetrics? = nil
    ) throws -> SQLiteLayoutStore {
        var store = configuration.storeConfiguration
        // Clients are told that it failed; why stands in the log, once for all who shared the transaction.
        store.onCommit = { report in
            commits?.count(report)
            guard case .unavailable(let reason) = report.failure else { return }
            log?.error(
                "transaction refused by the storage", ["changes": .number(report.changes), "reason": .text(reason)])
        }
        #if DEBUG
            SeededFault.plant(in: &store)
        #endif
        do throws(OpenError) {
            return try SQLiteLayoutStore.open(store)
        } catch {
            throw failure(error)
        }
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
        case .busy, .closed: CommandFailure(.tryAgain, "The storage takes nothing at the moment.")
        }
    }
}
