import LayoutApplication
import LayoutSQLite
import LayoutTesting
import Testing

/// What every store must hold, whatever is behind it: each test runs once a backend.
@Suite enum StoreConformance {}

enum Backend: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case file = "SQLite in a file"
    case memory = "SQLite in memory"
    case dictionaries = "dictionaries"

    var testDescription: String { rawValue }

    /// Runs `body` on a new, empty store and closes it.
    func withStore(historyKept: Int = 50, _ body: (any LayoutStore) async throws -> Void) async throws {
        let folder = TemporaryFolder()
        let store = try open(in: folder, historyKept: historyKept)
        do { try await body(store) } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    private func open(in folder: TemporaryFolder, historyKept: Int) throws -> any LayoutStore {
        switch self {
        case .file: try sqlite(.file(folder.file("layouts.db")), historyKept)
        case .memory: try sqlite(.memory, historyKept)
        case .dictionaries: InMemoryLayoutStore(historyKept: historyKept)
        }
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
