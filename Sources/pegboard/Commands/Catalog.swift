import LayoutAPI
import LayoutApplication
import LayoutModel

extension Command {
    static let catalogLint = Command(
        name: "catalog lint", summary: "Check a catalog file: every fault with its place",
        operands: [.init(name: "FILE")]
    ) { invocation in
        let path = invocation.operands[0]
        let catalog = try validated(try CatalogFile.read(path), in: path, after: nil)
        Machine.print(
            "\(path): \(catalog.functions.count) functions in \(catalog.sections.count) sections, no fault\n")
    }

    static let catalogShow = Command(
        name: "catalog show", summary: "Print the catalog in force", settings: [.database]
    ) { invocation in
        try await withCatalogs(of: invocation) { catalogs in
            Machine.print(String(decoding: catalogs.current.document, as: UTF8.self) + "\n")
        }
    }

    static let catalogPublish = Command(
        name: "catalog publish", summary: "Publish a catalog file to a database that no server uses",
        operands: [.init(name: "FILE")], settings: [.database],
        options: [.init(name: "dry-run", help: "Say what it would do, and change nothing")]
    ) { invocation in
        let path = invocation.operands[0]
        let draft = try CatalogFile.read(path)
        try await withCatalogs(of: invocation) { catalogs in
            _ = try validated(draft, in: path, after: catalogs.catalog)
            if invocation.options["dry-run"] != nil {
                let rehearsal = try await catalogs.rehearse(draft, if: .none)
                Machine.print(
                    "would be revision \(rehearsal.catalog.revision); "
                        + "\(rehearsal.changed) of \(rehearsal.layouts) layouts would show something else\n")
            } else {
                let published = try await catalogs.publish(draft, by: "pegboard catalog publish", if: .none)
                Machine.print("revision \(published.catalog.revision)\n")
            }
        }
    }

    private static func validated(_ draft: CatalogDraft, in path: String, after previous: Catalog?) throws -> Catalog {
        do throws(CatalogDraft.Faults) {
            return try draft.validated(after: previous)
        } catch {
            throw CommandFailure(.badInput, CatalogFile.lines(error, in: path) + error.sum)
        }
    }

    private static func withCatalogs(
        of invocation: Invocation, _ body: (CatalogService) async throws -> Void
    ) async throws {
        let store = try await Storage.open(invocation.configuration)
        do {
            try await body(try await CatalogService(store: store, coding: .json, clock: Machine.now))
            await store.close()
        } catch {
            await store.close()
            throw error
        }
    }
}
