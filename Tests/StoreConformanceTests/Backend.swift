import LayoutApplication
import LayoutSQLite
import LayoutTesting
import Testing

#if PostgreSQL
    import LayoutPostgres
#endif

/// What every store must hold, whatever is behind it: each test runs once a backend.
@Suite enum StoreConformance {}

enum Backend: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case file = "SQLite in a file"
    case memory = "SQLite in memory"
    case dictionaries = "dictionaries"
    case postgreSQL = "PostgreSQL"

    var testDescription: String { rawValue }

    /// PostgreSQL has suites of its own in `Scripts/test.sh`, each on a server that was started for it: there it is alone, and
    /// elsewhere it is not among them.
    static let allCases: [Backend] = {
        #if PostgreSQL
            if PostgresDatabase.isThere { return [.postgreSQL] }
        #endif
        return [.file, .memory, .dictionaries]
    }()

    /// Whether what was read stays in memory; see `LayoutStore.layoutAtHand`.
    var remembers: Bool { self != .postgreSQL }

    /// Runs `body` on a new, empty store and closes it.
    func withStore(historyKept: Int = 50, _ body: (any LayoutStore) async throws -> Void) async throws {
        switch self {
        case .file:
            let folder = TemporaryFolder()
            try await Self.run(body, on: try sqlite(.file(folder.file("layouts.db")), historyKept))
        case .memory: try await Self.run(body, on: try sqlite(.memory, historyKept))
        case .dictionaries: try await Self.run(body, on: InMemoryLayoutStore(historyKept: historyKept))
        case .postgreSQL:
            #if PostgreSQL
                let database = try PostgresDatabase()
                try await Self.run(body, on: try await database.open { $0.historyKept = historyKept })
            #endif
        }
    }

    private static func run(_ body: (any LayoutStore) async throws -> Void, on store: any LayoutStore) async throws {
        do { try await body(store) } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    private func sqlite(
        _ location: SQLiteLayoutStore.Configuration.Location, _ historyKept: Int
    ) throws -> SQLiteLayoutStore {
        var configuration = SQLiteLayoutStore.Configuration(location)
        configuration.historyKept = historyKept
        return try SQLiteLayoutStore.open(configuration)
    }
}

/// A rule's own refusal, which a store passes on as it is.
struct Refused: Error, Equatable {}
