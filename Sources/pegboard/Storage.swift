import LayoutSQLite

/// Opens the configured storage, and says in exit codes why it cannot be.
enum Storage {
    static func open(_ configuration: Configuration) throws -> SQLiteLayoutStore {
        var store = configuration.storeConfiguration
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
}
