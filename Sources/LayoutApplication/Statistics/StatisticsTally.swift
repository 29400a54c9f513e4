import LayoutModel

/// Statistics while they are counted, user by user. Its size depends on the catalog alone.
struct StatisticsTally {
    private(set) var statistics: LayoutStatistics
    private let catalog: Catalog
    private let places: [FunctionID: Int]
    private let firstDay: Int64

    init(of catalog: Catalog, at now: Timestamp) {
        self.catalog = catalog
        statistics = LayoutStatistics(
            computedAt: now, catalogRevision: catalog.revision, functions: catalog.functions.map { .init($0.id) })
        places = Dictionary(uniqueKeysWithValues: catalog.functions.enumerated().map { ($1.id, $0) })
        firstDay = LayoutStatistics.firstDay(at: now)
    }

    /// When the first of the days begins: the history of a layout that is older has nothing to count.
    var start: Timestamp { firstDay * LayoutStatistics.day }

    mutating func count(_ layout: StoredLayout, of user: UserID) {
        statistics.users += 1
        if layout.customized { statistics.customized += 1 }
        if layout.locked { statistics.locked += 1 }
        for (slot, id) in effective(layout.favorites, of: user).enumerated() {
            guard let place = places[id] else { continue }
            let missing = slot + 1 - statistics.functions[place].slots.count
            if missing > 0 { statistics.functions[place].slots += [Int](repeating: 0, count: missing) }
            statistics.functions[place].slots[slot] += 1
        }
    }

    /// - Parameter history: newest first. Where the version before its oldest is gone, what that one changed is not known.
    mutating func count(_ history: [Revision], of user: UserID) {
        for (index, revision) in history.enumerated() {
            guard let day = day(of: revision) else { continue }
            let before: [FunctionID]?
            if index + 1 < history.count {
                before = history[index + 1].layout.favorites
            } else if revision.layout.version == 1 {
                before = nil
            } else {
                continue
            }
            if before == revision.layout.favorites { continue }
            let old = effective(before, of: user)
            let new = effective(revision.layout.favorites, of: user)
            for id in new where !old.contains(id) { change(id) { $0.added[day] += 1 } }
            for id in old where !new.contains(id) { change(id) { $0.removed[day] += 1 } }
        }
    }

    private func effective(_ list: [FunctionID]?, of user: UserID) -> [FunctionID] {
        Layout(healing: list, catalog: catalog, client: Client(user: user)).favorites
    }

    private func day(of revision: Revision) -> Int? {
        guard let time = revision.layout.updatedAt else { return nil }
        let day = Int(clamping: LayoutStatistics.dayNumber(of: time) - firstDay)
        return (0..<LayoutStatistics.days).contains(day) ? day : nil
    }

    private mutating func change(_ id: FunctionID, _ body: (inout LayoutStatistics.OfFunction) -> Void) {
        if let place = places[id] { body(&statistics.functions[place]) }
    }
}
