import LayoutApplication
import Locking

/// Tells the observer when another catalog has come into force, whoever published it. Every read of a layout and every
/// change reads the revision in force along with it, and nothing is decided or shown before the observer knows.
final class CatalogNews: Sendable {
    private let state = Mutex(State())

    private struct State {
        var told = 0
        var observer: @Sendable (CatalogRecord) throws -> Void = { _ in }
    }

    func observe(_ observer: @escaping @Sendable (CatalogRecord) throws -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// The newest revision that the observer knows.
    var known: Int { state.withLock { $0.told } }

    /// - Throws: `Setback`; `StoreError` where the catalog cannot be read.
    func notice(_ revision: Int, on connection: Connection, by deadline: ContinuousClock.Instant) throws {
        let (told, observer) = state.withLock { ($0.told, $0.observer) }
        guard revision > told else { return }
        guard let record = try CatalogTable.catalog(revision: revision, on: connection, by: deadline) else { return }
        do { try observer(record) } catch {
            throw StoreError.unavailable(reason: "catalog \(revision) cannot be read by this program: \(error)")
        }
        state.withLock { $0.told = max($0.told, revision) }
    }
}
