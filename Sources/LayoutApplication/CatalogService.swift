package import LayoutModel
import Locking

/// The catalog in force, in memory, and the ways to publish another and to read earlier ones.
package final class CatalogService: Sendable {
    private let store: any LayoutStore
    private let coding: CatalogCoding
    private let clock: @Sendable () -> Timestamp
    private let published: Mutex<Published>
    private let observer = Mutex<@Sendable () -> Void>({})

    /// A catalog and the bytes in which it was published.
    package struct Published: Sendable {
        package let catalog: Catalog
        package let document: [UInt8]
    }

    /// Reads the catalog in force. Before the first was published it is revision 0, with nothing in it.
    package init(
        store: any LayoutStore, coding: CatalogCoding, clock: @escaping @Sendable () -> Timestamp
    ) async throws {
        self.store = store
        self.coding = coding
        self.clock = clock
        let record = try await store.currentCatalog()
        published = Mutex(try record.map { try Self.read($0, coding) } ?? Self.nothing(coding))
        store.observeCatalogs { [weak self] in try self?.adopt($0) }
    }

    /// Puts a catalog in force that somebody else has published.
    private func adopt(_ record: CatalogRecord) throws {
        guard record.summary.revision > catalog.revision else { return }
        putInForce(try Self.read(record, coding))
    }

    private func putInForce(_ next: Published) {
        let isNews = published.withLock { current in
            guard current.catalog.revision < next.catalog.revision else { return false }
            current = next
            return true
        }
        if isNews { observer.withLock { $0 }() }
    }

    /// Calls `observer` whenever another catalog has come into force here. To be set once.
    package func observePublications(_ observer: @escaping @Sendable () -> Void) {
        self.observer.withLock { $0 = observer }
    }

    package var current: Published { published.withLock { $0 } }
    package var catalog: Catalog { published.withLock { $0.catalog } }
    /// That of `catalog`, for whoever only wants to know whether it is still the same.
    package var revision: Int { published.withLock { $0.catalog.revision } }

    private static func nothing(_ coding: CatalogCoding) throws -> Published {
        let catalog = try CatalogDraft().validated(after: nil).stored(as: 0, layoutRevision: 0)
        return Published(catalog: catalog, document: coding.encode(catalog))
    }

    private static func read(_ record: CatalogRecord, _ coding: CatalogCoding) throws -> Published {
        let catalog = try coding.decode(record.document)
            .published(as: record.summary.revision, layoutRevision: record.summary.layoutRevision)
        return Published(catalog: catalog, document: record.document)
    }

    /// Publishes `draft` as the next revision.
    ///
    /// - Parameter precondition: held against the revision in force.
    /// - Throws: `CatalogDraft.Faults`, `Precondition.Failure`, `StoreError`; nothing is published then.
    package func publish(
        _ draft: CatalogDraft, by publisher: String, if precondition: Precondition
    ) async throws -> Published {
        let now = clock()
        let coding = coding
        let before = catalog
        let record = try await store.publish { record in
            // Another server may have published since: what counts is what the store has.
            let previous = try record.map { try Self.read($0, coding).catalog } ?? before
            if let failure = precondition.failure(on: "\(previous.revision)") { throw failure }
            let catalog = try draft.validated(after: previous)
            return CatalogRecord(
                summary: .init(
                    revision: catalog.revision, layoutRevision: catalog.layoutRevision, publishedAt: now,
                    publishedBy: publisher),
                document: coding.encode(catalog))
        }
        let next = try Self.read(record, coding)
        putInForce(next)
        return next
    }

    /// What publishing `draft` would do, without doing it.
    ///
    /// - Throws: as `publish`.
    package func rehearse(_ draft: CatalogDraft, if precondition: Precondition) async throws -> Rehearsal {
        let before = catalog
        if let failure = precondition.failure(on: "\(before.revision)") { throw failure }
        let after = try draft.validated(after: before)
        var impact = Impact(from: before, to: after)
        var last: UserID?
        while true {
            let rows = try await store.layouts(after: last, limit: 1_000)
            for row in rows { impact.count(row.user, row.layout) }
            guard let end = rows.last?.user else { break }
            last = end
        }
        return Rehearsal(catalog: after, layouts: impact.layouts, changed: impact.changed)
    }

    package struct Rehearsal: Sendable {
        package let catalog: Catalog
        /// How many layouts are stored, and how many of them would show something else.
        package let layouts: Int
        package let changed: Int
    }

    package func revision(_ number: Int) async throws -> CatalogRecord? {
        number == 0 ? nil : try await store.catalog(revision: number)
    }

    package func revisions(below revision: Int?, limit: Int) async throws -> [CatalogRecord.Summary] {
        try await store.catalogRevisions(below: revision, limit: limit)
    }
}

/// Counts the layouts that would show something else under another catalog, to a client on any of the platforms that
/// either catalog names. App versions are not tried.
private struct Impact {
    private let before: Catalog
    private let after: Catalog
    private let platforms: [String?]
    private(set) var layouts = 0
    private(set) var changed = 0

    init(from before: Catalog, to after: Catalog) {
        self.before = before
        self.after = after
        let named = (before.functions + after.functions).flatMap { $0.availability.platforms ?? [] }
        platforms = [nil] + Set(named).sorted().map(Optional.some)
    }

    mutating func count(_ user: UserID, _ layout: StoredLayout) {
        layouts += 1
        let differs = platforms.contains { platform in
            let client = Client(user: user, platform: platform)
            return Layout(healing: layout.favorites, catalog: before, client: client).favorites
                != Layout(healing: layout.favorites, catalog: after, client: client).favorites
        }
        if differs { changed += 1 }
    }
}
