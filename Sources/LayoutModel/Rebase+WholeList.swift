extension Rebase {
    /// Carries a whole list, made on the stored list `base`, over to `layout`: the fewest removals, moves and additions
    /// that turn the base into it are applied to the list of today. What others changed beside them stays.
    ///
    /// - Throws: what `Layout.replace(with:)` throws, by the base list, and the bounds on the resulting list. The layout
    ///   is then unchanged.
    /// - Returns: an outcome for each step that was needed.
    /// - Complexity: O(n log n) to find the steps, O(n) for each.
    package static func apply(
        _ wanted: [FunctionID], madeOn base: [FunctionID]?, to layout: inout Layout
    ) throws(Refusal) -> [Outcome] {
        var merge = ListMerge(base: base, onto: layout)
        let outcomes = try merge.run(wanted)
        try layout.checkCount(from: layout.favorites, to: merge.current.favorites)
        layout = merge.current
        return outcomes
    }
}

/// One whole list on its way to the list of today.
private struct ListMerge {
    private let base: Layout
    private let seen: [FunctionID]
    private(set) var current: Layout

    init(base: [FunctionID]?, onto layout: Layout) {
        self.base = Layout(healing: base, catalog: layout.catalog, client: layout.client)
        seen = base ?? layout.catalog.defaults
        current = layout
    }

    mutating func run(_ list: [FunctionID]) throws(Refusal) -> [Outcome] {
        if let (id, indexes) = firstRepeated(list) { throw .duplicateItem(id, indexes: indexes) }
        let gone = list.filter { current.catalog.available($0, to: current.client) == nil && seen.contains($0) }
        let wanted = completed(list.filter { !gone.contains($0) })
        try base.check(wanted)

        var outcomes = gone.map { Outcome(operation: .move, items: [$0], result: .itemAbsent) }
        let members = Membership(of: wanted, in: base.catalog)
        for id in base.favorites where !members.contains(id) { outcomes.append(remove(id)) }
        let target = base.takenApart(wanted)
        for pin in target.pins where !base.contains(pin.id) { outcomes.append(addPinned(pin.id)) }
        outcomes += place(target.free)
        return outcomes
    }

    /// What healing put in since was never left out on purpose.
    private func completed(_ wanted: [FunctionID]) -> [FunctionID] {
        let known = Membership(of: seen + wanted, in: base.catalog)
        let healedIn = base.favorites.filter { !known.contains($0) }
        if healedIn.isEmpty { return wanted }
        return base.takenApart(wanted + healedIn).settled()
    }

    private mutating func remove(_ id: FunctionID) -> Outcome {
        let isThere = current.contains(id)
        if isThere {
            let list = current.takenApart()
            current.favorites =
                PinnedList(
                    free: list.free.filter { $0 != id }, pins: list.pins.filter { $0.id != id }
                ).settled()
        }
        return Outcome(operation: .remove, items: [id], result: isThere ? .applied : .unchanged)
    }

    private mutating func addPinned(_ id: FunctionID) -> Outcome {
        if current.contains(id) { return Outcome(operation: .add, items: [id], result: .unchanged) }
        current.favorites = current.takenApart(current.favorites + [id]).settled()
        return Outcome(operation: .add, items: [id], result: .applied)
    }

    /// From left to right, so that each item's left neighbour stands where it belongs already.
    private mutating func place(_ free: [FunctionID]) -> [Outcome] {
        let kept = longestKept(of: free)
        let old = Membership(of: base.favorites, in: base.catalog)
        var outcomes: [Outcome] = []
        for (index, id) in free.enumerated() where !kept.contains(id) {
            let isNew = !old.contains(id)
            let isThere = current.contains(id)
            let kind: Outcome.Kind = isNew ? .add : .move
            if isNew == isThere {
                outcomes.append(Outcome(operation: kind, items: [id], result: isNew ? .unchanged : .itemAbsent))
                continue
            }
            let meant: Placement.Destination = index == 0 ? .first : .after(free[index - 1])
            // To the right, what is kept stands where it belongs already; the others have yet to come.
            let right = free[index...]
            let neighbours = Neighbours(
                free[..<index] + right.filter(kept.contains) + right.filter { !kept.contains($0) })
            guard let used = neighbours.nearest(to: meant, in: current, moving: [id]) else {
                outcomes.append(Outcome(operation: kind, items: [id], result: .anchorAbsent))
                continue
            }
            put(id, at: used)
            let result: Outcome.Result = used == meant ? .applied : .anchorSubstituted(used)
            outcomes.append(Outcome(operation: kind, items: [id], result: result))
        }
        return outcomes
    }

    private mutating func put(_ id: FunctionID, at destination: Placement.Destination) {
        var list = current.takenApart()
        list.free.removeAll { $0 == id }
        guard let position = try? list.position(of: destination, for: 1) else { return }
        list.free.insert(id, at: position)
        current.favorites = list.settled()
    }

    /// The most items that can stay where they are while the others are moved around them.
    private func longestKept(of free: [FunctionID]) -> Set<FunctionID> {
        // No list of ours names an id twice; one from a damaged row must not end the process.
        let places = Dictionary(base.takenApart().free.enumerated().map { ($1, $0) }) { first, _ in first }
        let common = free.enumerated().compactMap { index, id in places[id].map { (index: index, id: id, place: $0) } }
        let fixed = common.filter { base.isFixed($0.id) }
        // What stands on the other side of an item that cannot move has to move itself.
        let candidates = common.filter { item in
            fixed.allSatisfy { ($0.index < item.index) == ($0.place < item.place) }
        }
        return Set(longestIncreasing(candidates.map(\.place)).map { candidates[$0].id })
    }
}

/// The indexes of a longest increasing subsequence of distinct numbers. O(n log n): piles of patience, each number laid on
/// the leftmost pile whose top is larger, with a link to the top of the pile before.
func longestIncreasing(_ numbers: [Int]) -> [Int] {
    var tops: [Int] = []
    var links: [Int?] = []
    for (index, number) in numbers.enumerated() {
        var (low, high) = (0, tops.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[tops[middle]] < number { low = middle + 1 } else { high = middle }
        }
        links.append(low > 0 ? tops[low - 1] : nil)
        if low == tops.count { tops.append(index) } else { tops[low] = index }
    }
    return Array(
        sequence(state: tops.last) { next in
            defer { next = next.flatMap { links[$0] } }
            return next
        }
    ).reversed()
}
