/// Carries operations that were made on an older version over to the list of today.
///
/// Each operation is first replayed on the old list, where it means what its author saw, and then applied to the current
/// one by what it was about: an item, and the neighbour it was put beside. What another device removed is never brought
/// back. What results depends on the order of commits alone, and without a concurrent change it is the plain operation.
package struct Rebase {
    /// The list as its author saw it, changed along by each replayed operation.
    private var base: Layout
    /// The old stored list. What the catalog hides or has dropped since counts as gone, not as a mistake of the author.
    private let seen: [FunctionID]
    private var current: Layout

    private init(from base: [FunctionID]?, onto current: Layout) {
        self.base = Layout(healing: base, catalog: current.catalog, client: current.client)
        self.current = current
        seen = base ?? current.catalog.defaults
    }

    /// Applies `operations`, made on the stored list `base`, to `layout`.
    ///
    /// - Throws: the first refusal: of an operation that its author's own list did not allow, or by today's policy. The
    ///   layout is then unchanged.
    /// - Returns: an outcome for each operation.
    package static func apply(
        _ operations: [Operation], madeOn base: [FunctionID]?, to layout: inout Layout
    ) throws(Rejection) -> [Outcome] {
        try Layout.checkShape(of: operations)
        var rebase = Rebase(from: base, onto: layout)
        var outcomes: [Outcome] = []
        for (index, operation) in operations.enumerated() {
            do throws(Refusal) {
                outcomes.append(try rebase.carry(operation))
            } catch {
                throw Rejection(error, operationIndex: index)
            }
        }
        layout = rebase.current
        return outcomes
    }

    private mutating func carry(_ operation: Operation) throws(Refusal) -> Outcome {
        switch operation {
        case .move(let subject, let placement):
            try placement.checkSection()
            return try carryMove(of: try base.items(of: subject), to: placement.destination, as: .move)
        case .add(let id, let placement):
            try placement?.checkSection()
            return try carryAdd(id, at: placement?.destination)
        case .remove(let id):
            return try carryRemove(id)
        }
    }

    private mutating func carryMove(
        of items: [FunctionID], to destination: Placement.Destination, as kind: Outcome.Kind
    ) throws(Refusal) -> Outcome {
        let neighbours = neighbours
        let there = items.filter { !isGone($0) }
        guard !there.isEmpty else { return Outcome(operation: kind, items: items, result: .itemAbsent) }
        guard let replayed = replayable(destination, moving: there, beside: neighbours) else {
            return Outcome(operation: kind, items: items, result: .anchorAbsent)
        }
        try base.move(there, to: replayed)

        let meant = asNeighbour(destination, of: there[0])
        let left = there.filter(current.contains)
        let absent = items.filter { !left.contains($0) }
        guard !left.isEmpty else { return Outcome(operation: kind, items: items, result: .itemAbsent) }
        guard let target = neighbours.nearest(to: meant, in: current, moving: left) else {
            return Outcome(operation: kind, items: left, result: .anchorAbsent, absent: absent)
        }
        let before = current.favorites
        try current.move(left, to: target)
        return Outcome(
            operation: kind, items: left, result: result(from: before, meant: meant, used: target), absent: absent)
    }

    private mutating func carryAdd(_ id: FunctionID, at destination: Placement.Destination?) throws(Refusal) -> Outcome
    {
        if base.contains(id) || isGone(id) {
            // Its author saw it there: nothing to add, and with a place it was a move.
            guard let destination else {
                return Outcome(operation: .add, items: [id], result: current.contains(id) ? .unchanged : .itemAbsent)
            }
            return try carryMove(of: [id], to: destination, as: .add)
        }
        let neighbours = neighbours
        var meant = destination
        if let destination {
            try base.add(id, at: replayable(destination, moving: [id], beside: neighbours))
            meant = asNeighbour(destination, of: id)
        } else {
            try base.add(id)
        }
        if current.contains(id) { return Outcome(operation: .add, items: [id], result: .unchanged) }
        guard let meant else {
            try current.add(id)
            return Outcome(operation: .add, items: [id], result: .applied)
        }
        guard let target = neighbours.nearest(to: meant, in: current, moving: [id]) else {
            return Outcome(operation: .add, items: [id], result: .anchorAbsent)
        }
        let before = current.favorites
        try current.add(id, at: target)
        return Outcome(operation: .add, items: [id], result: result(from: before, meant: meant, used: target))
    }

    private mutating func carryRemove(_ id: FunctionID) throws(Refusal) -> Outcome {
        // Removing what its author did not see changes nothing, even where another device has added it since.
        guard base.contains(id) else {
            if !isGone(id) { try base.remove(id) }
            return Outcome(operation: .remove, items: [id], result: .unchanged)
        }
        try base.remove(id)
        let before = current.favorites
        try current.remove(id)
        return Outcome(
            operation: .remove, items: [id], result: current.favorites == before ? .unchanged : .applied)
    }

    /// Of the list as its author sees it now, whatever is replayed on it later.
    private var neighbours: Neighbours {
        let (base, seen) = (base, seen)
        return Neighbours(base.weave(into: seen))
    }

    /// An index says "behind this neighbour" once it has been replayed; other places are named already.
    private func asNeighbour(_ destination: Placement.Destination, of item: FunctionID) -> Placement.Destination {
        guard case .index = destination, let place = base.favorites.firstIndex(of: item) else { return destination }
        return place == 0 ? .first : .after(base.favorites[place - 1])
    }

    private func result(
        from before: [FunctionID], meant: Placement.Destination, used: Placement.Destination
    ) -> Outcome.Result {
        if used != meant { return .anchorSubstituted(used) }
        return current.favorites == before ? .unchanged : .applied
    }

    /// The destination on the old list: as the author named it, unless the catalog has taken the anchor away since. An
    /// anchor that was never there is kept, and meets the refusal that it deserves.
    private func replayable(
        _ destination: Placement.Destination, moving items: [FunctionID], beside neighbours: Neighbours
    ) -> Placement.Destination? {
        guard let anchor = destination.anchor, isGone(anchor) else { return destination }
        return neighbours.nearest(to: destination, in: base, moving: items)
    }

    /// Whether the author saw `id`, and the catalog has hidden or dropped it since.
    private func isGone(_ id: FunctionID) -> Bool {
        current.catalog.available(id, to: current.client) == nil && seen.contains(id)
    }
}

/// The list in which an anchor's neighbours are looked for when the anchor itself is gone.
struct Neighbours {
    /// Made when it is needed, which is seldom, and takes longer than to put an item beside an anchor that is there.
    private let order: () -> [FunctionID]

    init(_ order: @autoclosure @escaping () -> [FunctionID]) { self.order = order }

    /// `destination`, or where its anchor cannot serve in `layout`, the place beside the anchor's nearest left neighbour
    /// that can, else its nearest right one; nil where none can.
    ///
    /// - Parameter items: what is to be placed there; it cannot be its own anchor.
    func nearest(
        to destination: Placement.Destination, in layout: Layout, moving items: [FunctionID]
    ) -> Placement.Destination? {
        guard let anchor = destination.anchor else { return destination }
        var list = layout.takenApart()
        list.free.removeAll { items.contains($0) }
        let serves = { (candidate: Placement.Destination) in
            guard let anchor = candidate.anchor, layout.contains(anchor), !items.contains(anchor) else { return false }
            return (try? list.position(of: candidate, for: items.count)) != nil
        }
        if serves(destination) { return destination }
        let order = order()
        guard let place = order.firstIndex(of: anchor) else { return nil }
        return order[..<place].reversed().lazy.map { .after($0) }.first(where: serves)
            ?? order[(place + 1)...].lazy.map { .before($0) }.first(where: serves)
    }
}
