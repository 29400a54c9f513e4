import LayoutApplication

/// Why a database was not opened. Each case is something the operator can act on, and its text says how.
package enum PostgresOpenError: Error, Equatable, Sendable, CustomStringConvertible {
    case unusable(reason: String)
    case encoding(String)
    case foreign(table: String)
    case newer(found: Int, known: Int)
    case changedMigration(version: Int, name: String)
    case needsMigration(found: Int, known: Int)
    case migrationUnderWay(holder: String)
    case refused(reason: String)

    package var description: String {
        switch self {
        case .unusable(let reason):
            "The database cannot be used: \(reason). Check --database, the user's password and rights, and whether a primary is up."
        case .encoding(let name):
            "The database keeps texts as \(name), which not every user's id can be written in. Give Pegboard one in UTF8."
        case .foreign(let table):
            "The database has a table '\(table)' that is not Pegboard's. Give Pegboard a database, or a schema, of its own."
        case .newer(let found, let known):
            "The database has schema \(found), this program knows \(known). Run the newer program."
        case .changedMigration(let version, let name):
            "Migration \(version) (\(name)) is not the one that made the database. Run the program that came with it."
        case .needsMigration(let found, let known):
            "The database has schema \(found), this program needs \(known). Run `pegboard migrate`."
        case .migrationUnderWay(let holder):
            "The database is being migrated by \(holder). Start again when that is done."
        case .refused(let reason): "The database refused: \(reason)."
        }
    }

    /// Runs `body`, with what the pool says put into the operator's words.
    static func telling<Result>(_ body: () async throws -> Result) async throws(PostgresOpenError) -> Result {
        do { return try await body() } catch let error as PostgresOpenError { throw error } catch let error
            as StoreError
        {
            switch error {
            case .unavailable(let reason), .unknownOutcome(let reason), .damaged(let reason):
                throw .unusable(reason: reason)
            case .busy, .closed: throw .unusable(reason: "it takes nothing at the moment")
            }
        } catch { throw .refused(reason: "\(error)") }
    }
}
