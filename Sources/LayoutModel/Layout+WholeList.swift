extension Layout {
    /// Makes the effective list what the client wants it to be.
    ///
    /// - Throws: `.duplicateItem`, `.unknownFunction`, `.functionUnavailable`, `.requiredItemMissing`,
    ///   `.pinnedItemMissing`, `.itemNotRemovable`, `.itemNotMovable`, `.slotPinned`, `.favoritesLimit`,
    ///   `.favoritesMinimum`. The layout is then unchanged.
    package mutating func replace(with wanted: [FunctionID]) throws(Refusal) {
        if wanted == favorites { return }
        try check(wanted)
        try checkCount(from: favorites, to: wanted)
        favorites = wanted
    }

    /// What the catalog says of a whole list, its length aside.
    func check(_ wanted: [FunctionID]) throws(Refusal) {
        if let (id, indexes) = firstRepeated(wanted) { throw .duplicateItem(id, indexes: indexes) }
        for id in wanted { try available(id) }
        let members = Membership(of: wanted, in: catalog)
        for id in favorites where !members.contains(id) {
            guard let function = catalog[id], !function.canRemove else { continue }
            if function.isRequired { throw .requiredItemMissing(id) }
            if let slot = function.pin { throw .pinnedItemMissing(id, slot: slot) }
            throw .itemNotRemovable(id)
        }
        try checkFixedOrder(of: wanted)
        try checkPins(of: wanted)
    }

    /// A list that is over the limit may stay so, in any order, as long as nothing is added; the minimum likewise.
    func checkCount(from list: [FunctionID], to wanted: [FunctionID]) throws(Refusal) {
        let policy = catalog.policy
        if wanted.count > policy.limit && !wanted.allSatisfy(list.contains) {
            throw .favoritesLimit(limit: policy.limit, requested: wanted.count, scope: .wholeList)
        }
        if wanted.count < policy.minimum && !list.allSatisfy(wanted.contains) {
            throw .favoritesMinimum(minimum: policy.minimum, requested: wanted.count, scope: .wholeList)
        }
    }

    /// Items that can be neither moved nor taken out keep their order among themselves. (One that can be taken out gets
    /// anywhere by leaving and coming back.)
    private func checkFixedOrder(of wanted: [FunctionID]) throws(Refusal) {
        let fixed = favorites.filter { isFixed($0) }
        var rest = fixed[...]
        for id in wanted where fixed.contains(id) {
            guard rest.first == id else { throw .itemNotMovable(id) }
            rest.removeFirst()
        }
    }

    /// Whether the item keeps its place among the free ones for good.
    func isFixed(_ id: FunctionID) -> Bool {
        guard let function = catalog[id] else { return false }
        return function.pin == nil && !function.canMove && !function.canRemove
    }

    private func checkPins(of wanted: [FunctionID]) throws(Refusal) {
        let list = takenApart(wanted)
        let slots = list.slots(withFree: list.free.count)
        for (pin, slot) in zip(list.pins, slots) where wanted[slot] != pin.id {
            throw .slotPinned(slot, by: pin.id)
        }
    }
}
