/// Where each function of a catalog stands, by its id. Every rule looks functions up, so this is an open table over the hash
/// that an id carries with it: `Dictionary` would hash that once more, which took most of the time of healing a list.
struct FunctionTable: Sendable {
    /// At least half of them are free.
    private let slots: [Slot]
    private let ids: [FunctionID]

    private struct Slot {
        /// The place of a function in the list that it was made of, or -1.
        var place: Int32 = -1
        /// A part of its hash: another's is told from it without a look at the id.
        var mark: UInt32 = 0
    }

    /// - Parameter ids: without repetition.
    init(_ ids: [FunctionID]) {
        self.ids = ids
        var size = 4
        while size < 2 * ids.count { size *= 2 }
        var slots = [Slot](repeating: Slot(), count: size)
        for (place, id) in ids.enumerated() {
            var slot = id.hash & (size - 1)
            while slots[slot].place >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Slot(place: Int32(place), mark: id.mark)
        }
        self.slots = slots
    }

    subscript(id: FunctionID) -> Int? {
        var slot = id.hash & (slots.count - 1)
        while slots[slot].place >= 0 {
            let place = Int(slots[slot].place)
            if slots[slot].mark == id.mark, ids[place] == id { return place }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }
}

extension FunctionID {
    /// Of the upper half: the lower one says the slot.
    fileprivate var mark: UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }
}

/// Which functions of a catalog a list holds: for rules that ask of every item in one list whether it is in another.
struct Membership {
    private let catalog: Catalog
    private var words: [UInt64]

    init(of list: [FunctionID], in catalog: Catalog) {
        self.catalog = catalog
        words = [UInt64](repeating: 0, count: catalog.functions.count / 64 + 1)
        for id in list {
            if let place = catalog.place(of: id) { words[place / 64] |= 1 << UInt64(place % 64) }
        }
    }

    /// Of an id that the catalog has not: false.
    func contains(_ id: FunctionID) -> Bool { catalog.place(of: id).map(contains(place:)) ?? false }

    func contains(place: Int) -> Bool { words[place / 64] & 1 << UInt64(place % 64) != 0 }
}
