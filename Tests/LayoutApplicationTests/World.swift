import LayoutApplication
import LayoutModel
import LayoutTesting
import Testing

/// Both services over one store, with a clock that stands still.
struct World {
    let store: any LayoutStore
    let catalogs: CatalogService
    let layouts: LayoutService
    let user: UserID = "u1"
    let now: Timestamp = 1_796_025_600_000

    /// - Parameter catalog: published as revision 1: `a b c | limit 4 | defaults a`.
    init(catalog: String?, store: any LayoutStore = InMemoryLayoutStore()) async throws {
        let now = now
        self.store = store
        catalogs = try await CatalogService(store: store, coding: .lines, clock: { now })
        layouts = LayoutService(store: store, catalogs: catalogs, clock: { now })
        if let catalog { _ = try await catalogs.publish(draft(catalog), by: "test", if: Precondition(match: .any)) }
    }

    /// Puts a list into the store as the next version, past all rules.
    func store(_ list: String?, for user: String = "u1", locked: Bool = false) async throws {
        let favorites = list.map { $0.split(separator: " ").compactMap { FunctionID($0) } }
        let now = now
        _ = try await store.update(try #require(UserID(user)), request: nil) { transaction in
            let layout = StoredLayout(
                favorites: favorites, version: transaction.current.version + 1, locked: locked, updatedAt: now)
            return Decision(change: LayoutChange(layout: layout, kind: .import), value: ())
        }
    }
}

/// `a b c | limit 4 | defaults a`, where JSON would be beside the point.
func draft(_ line: String) -> CatalogDraft {
    let parts = line.split(separator: "|").map { $0.split(separator: " ").map(String.init) }
    var draft = CatalogDraft()
    draft.functions = parts[0].map { CatalogDraft.Function(id: $0, title: Title(["en": $0])) }
    draft.policy.limit = Int(parts[1][1]) ?? 0
    draft.defaults = Array(parts[2].dropFirst())
    return draft
}

extension CatalogCoding {
    static let lines = CatalogCoding(
        decode: { draft(String(decoding: $0, as: UTF8.self)) },
        encode: { catalog in
            let ids = catalog.functions.map(\.id.text).joined(separator: " ")
            let defaults = catalog.defaults.map(\.text).joined(separator: " ")
            return Array("\(ids) | limit \(catalog.policy.limit) | defaults \(defaults)".utf8)
        })
}
