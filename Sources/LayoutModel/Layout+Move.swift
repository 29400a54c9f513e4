extension Layout {
    /// Moves items to `destination`; several go as a block, in the order given.
    ///
    /// An index counts in the list after the move: the item is taken out, then put in. Moving `a` in `[a, b, c, d]`:
    /// ```
    /// to .index(3)   [b, c, d, a]
    /// to .after(c)   [b, c, a, d]
    /// to .before(b)  [a, b, c, d]    nothing changes
    /// to .index(4)   refused: 0 to 3
    /// ```
    /// Pinned items stay where they are; a block flows around them.
    ///
    /// - Throws: `.anchorIsSelf`, `.unknownFunction`, `.functionUnavailable`, `.itemNotMovable`, `.duplicateItem`,
    ///   `.slotPinned`, `.notAFavorite`, `.anchorAbsent`, `.indexOutOfRange`. The layout is then unchanged.
    /// - Complexity: O(n).
    package mutating func move(_ items: [FunctionID], to destination: Placement.Destination) throws(Refusal) {
        // Known only now where a slot named the item.
        if let anchor = destination.anchor, items.contains(anchor) { throw .anchorIsSelf(anchor) }
        if let (id, indexes) = firstRepeated(items) { throw .duplicateItem(id, indexes: indexes) }
        for id in items {
            let place = try available(id)
            guard catalog.functions[place].canMove else { throw .itemNotMovable(id) }
        }
        try checkAnchor(of: destination)
        for id in items where !contains(id) { throw .notAFavorite(id) }
        var list = takenApart()
        list.free.removeAll { items.contains($0) }
        try list.insert(items, at: destination)
        favorites = list.settled()
    }

    /// The place of the function, where the catalog has it and this client can have it.
    @discardableResult
    func available(_ id: FunctionID) throws(Refusal) -> Int {
        guard let place = catalog.place(of: id) else { throw .unknownFunction(id) }
        guard catalog.functions[place].isAvailable(to: client) else { throw .functionUnavailable(id) }
        return place
    }

    /// An anchor that no catalog could cure comes before what another state would.
    func checkAnchor(of destination: Placement.Destination) throws(Refusal) {
        guard let anchor = destination.anchor else { return }
        guard catalog.place(of: anchor) != nil else { throw .unknownFunction(anchor) }
        guard contains(anchor) else { throw .anchorAbsent(anchor) }
    }
}

extension PinnedList {
    /// Puts `items`, which are not in the list, where `destination` says.
    mutating func insert(_ items: [FunctionID], at destination: Placement.Destination) throws(Refusal) {
        free.insert(contentsOf: items, at: try position(of: destination, for: items.count))
    }

    /// The place among the free items at which `count` new ones go in.
    func position(of destination: Placement.Destination, for count: Int) throws(Refusal) -> Int {
        let slots = slots(withFree: free.count + count)
        switch destination {
        case .first: return 0
        case .last: return free.count
        case .index(let index):
            return try position(ofSlot: index, for: count, around: slots)
        case .before(let anchor):
            guard let pin = pins.firstIndex(where: { $0.id == anchor }) else { return try position(ofAnchor: anchor) }
            let freeBefore = slots[pin] - pin
            guard freeBefore > 0 else { throw .slotPinned(slots[pin], by: anchor) }
            return max(0, freeBefore - count)
        case .after(let anchor):
            guard let pin = pins.firstIndex(where: { $0.id == anchor }) else {
                return try position(ofAnchor: anchor) + 1
            }
            let freeBefore = slots[pin] - pin
            guard freeBefore < free.count + count else { throw .slotPinned(slots[pin], by: anchor) }
            return min(freeBefore, free.count)
        }
    }

    private func position(ofSlot index: Int, for count: Int, around slots: [Int]) throws(Refusal) -> Int {
        // One item has the whole list for its range; a block as much of it as pins at the tail leave room for.
        let last = count == 1 ? free.count + pins.count : slot(ofPosition: free.count, around: slots)
        guard (0...last).contains(index) else { throw .indexOutOfRange(index: index, maximum: last) }
        if let pin = slots.firstIndex(of: index) { throw .slotPinned(index, by: pins[pin].id) }
        return index - slots.count { $0 < index }
    }

    private func slot(ofPosition position: Int, around slots: [Int]) -> Int {
        slots.reduce(position) { slot, pinned in pinned <= slot ? slot + 1 : slot }
    }

    private func position(ofAnchor anchor: FunctionID) throws(Refusal) -> Int {
        guard let position = free.firstIndex(of: anchor) else { throw .anchorAbsent(anchor) }
        return position
    }
}

/// The first item that stands in the list twice, and where.
func firstRepeated(_ items: [FunctionID]) -> (FunctionID, indexes: [Int])? {
    guard items.count > 1 else { return nil }
    var seen: Set<FunctionID> = []
    for id in items where !seen.insert(id).inserted {
        return (id, items.indices.filter { items[$0] == id })
    }
    return nil
}
