extension Layout {
    /// Makes `id` a favorite: at `destination`, or at the end of the free items. A pinned function goes to its slot.
    /// For one that is there already nothing changes, or with a destination it is a move.
    ///
    /// - Throws: `.unknownFunction`, `.functionUnavailable`, `.itemNotMovable` (pinned, with a destination), `.slotPinned`,
    ///   `.favoritesLimit`, `.anchorAbsent`, `.indexOutOfRange` (0…n). The layout is then unchanged.
    package mutating func add(_ id: FunctionID, at destination: Placement.Destination? = nil) throws(Refusal) {
        let isPinned = catalog.functions[try available(id)].pin != nil
        if contains(id) {
            if let destination { try move([id], to: destination) }
            return
        }
        if destination != nil && isPinned { throw .itemNotMovable(id) }
        if let destination { try checkAnchor(of: destination) }
        let longer: [FunctionID]
        if !isPinned {
            var list = takenApart()
            try list.insert([id], at: destination ?? .last)
            longer = list.settled()
        } else {
            longer = takenApart(favorites + [id]).settled()
        }
        guard longer.count <= catalog.policy.limit else {
            throw .favoritesLimit(limit: catalog.policy.limit, requested: longer.count, scope: .step)
        }
        favorites = longer
    }

    /// Takes `id` out of the favorites. For one that is not there nothing changes.
    ///
    /// - Throws: `.unknownFunction`, `.itemNotRemovable`, `.favoritesMinimum`. The layout is then unchanged.
    package mutating func remove(_ id: FunctionID) throws(Refusal) {
        try checkRemoval(of: id)
        guard contains(id) else { return }
        var list = takenApart()
        list.free.removeAll { $0 == id }
        favorites = PinnedList(free: list.free, pins: list.pins.filter { $0.id != id }).settled()
    }

    /// Refuses what `remove` refuses.
    func checkRemoval(of id: FunctionID) throws(Refusal) {
        guard let place = catalog.place(of: id) else { throw .unknownFunction(id) }
        guard contains(id) else { return }
        guard catalog.functions[place].canRemove else { throw .itemNotRemovable(id) }
        if let refusalToShrink { throw refusalToShrink }
    }

    /// Why none may leave the list, whichever it is; nil where one may.
    var refusalToShrink: Refusal? {
        favorites.count > catalog.policy.minimum
            ? nil
            : .favoritesMinimum(minimum: catalog.policy.minimum, requested: favorites.count - 1, scope: .step)
    }
}
