import LayoutModel

/// Counts the layouts of all users, page by page, and keeps what came out for a minute.
package actor StatisticsService {
    private let store: any LayoutStore
    private let catalogs: CatalogService
    private let clock: @Sendable () -> Timestamp
    private var kept: LayoutStatistics?
    private var underWay: Task<LayoutStatistics, any Error>?

    init(store: any LayoutStore, catalogs: CatalogService, clock: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.catalogs = catalogs
        self.clock = clock
    }

    deinit { underWay?.cancel() }

    /// Those of the last minute under the catalog in force, else new ones. Who asks while they are counted gets the same.
    ///
    /// It is no snapshot: a layout that changes meanwhile is counted before or after its change. Who goes away does not
    /// stop the count: others may wait for it, and the next to ask is served by it.
    ///
    /// - Throws: `StoreError`.
    package func current() async throws -> LayoutStatistics {
        if let kept, isFresh(kept) { return kept }
        if let underWay { return try await underWay.value }
        let task = Task.detached(priority: .utility) { [store, catalog = catalogs.catalog, now = clock()] in
            try await Self.count(store, catalog, at: now)
        }
        underWay = task
        defer { underWay = nil }
        let counted = try await task.value
        kept = counted
        return counted
    }

    /// By the clock that also stamps them: were it set back, they would be of another time.
    private func isFresh(_ statistics: LayoutStatistics) -> Bool {
        (0..<60_000).contains(clock() - statistics.computedAt)
            && statistics.catalogRevision == catalogs.catalog.revision
    }
}

extension StatisticsService {
    /// So few that others who read come in between.
    private static let pageSize = 500
    /// How many histories are asked for at once.
    private static let width = 4

    private static func count(
        _ store: any LayoutStore, _ catalog: Catalog, at now: Timestamp
    ) async throws -> LayoutStatistics {
        var tally = StatisticsTally(of: catalog, at: now)
        var last: UserID?
        while true {
            let page = try await store.layouts(after: last, limit: pageSize)
            for (user, layout) in page { tally.count(layout, of: user) }
            let changed = page.filter { $0.layout.updatedAt ?? 0 >= tally.start }.map(\.user)
            try await count(historiesOf: changed, in: store, into: &tally)
            guard let end = page.last?.user else { return tally.statistics }
            last = end
        }
    }

    private static func count(
        historiesOf users: [UserID], in store: any LayoutStore, into tally: inout StatisticsTally
    ) async throws {
        try await withThrowingTaskGroup(of: (user: UserID, history: [Revision]).self) { group in
            for (index, user) in users.enumerated() {
                if index >= width, let found = try await group.next() { tally.count(found.history, of: found.user) }
                group.addTask { (user, try await store.revisions(of: user, below: nil, limit: .max)) }
            }
            for try await found in group { tally.count(found.history, of: found.user) }
        }
    }
}
