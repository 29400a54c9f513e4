package import LayoutModel

/// Every list in which `items` could come to stand among those of a list: whatever else is free keeps its order, and
/// the pinned functions stand at their slots. Which of them a placement asks for is said by what it looks like.
package struct Arrangements {
    private let items: [FunctionID]
    /// The candidates in which the items stand in the order given, with nothing but pinned functions between them.
    private let together: [Candidate]
    private let pins: [Int: FunctionID]
    private let length: Int

    private struct Candidate {
        let list: [FunctionID]
        /// Where the items stand in it, in the order given.
        let slots: [Int]
    }

    package init(of items: [FunctionID], among list: [FunctionID], by model: ReferenceModel) {
        self.items = items
        let pinned = list.filter { model.pin(of: $0) != nil }
        let others = list.filter { !pinned.contains($0) && !items.contains($0) }
        // One item after another, at every place: all lists in which the others keep their order.
        var free = [others]
        for item in items {
            free = free.flatMap { list in
                (0...list.count).map { place in Array(list[..<place]) + [item] + Array(list[place...]) }
            }
        }
        let lists = free.map { model.withPinsInPlace($0 + pinned) }
        let places = pinned.map { (lists[0].firstIndex(of: $0)!, $0) }
        let pins = Dictionary(uniqueKeysWithValues: places)
        together = lists.map { list in Candidate(list: list, slots: items.map { list.firstIndex(of: $0)! }) }
            .filter { candidate in
                let slots = candidate.slots
                guard slots == slots.sorted() else { return false }
                return (slots.first!...slots.last!).allSatisfy { slots.contains($0) || pins[$0] != nil }
            }
        length = lists[0].count
        self.pins = pins
    }

    /// The one list that `destination` asks for. The anchor, where there is one, must be in the list.
    package func verdict(on destination: Placement.Destination) -> ReferenceModel.Verdict {
        switch destination {
        case .index(let index): return verdict(onIndex: index)
        case .first: return .list(only { $0.slots.first == freeSlots.first })
        case .last: return .list(only { $0.slots.last == freeSlots.last })
        case .before(let anchor):
            guard let slot = slot(ofPinned: anchor) else {
                return .list(
                    only { self.free($0).firstIndex(of: anchor) == self.free($0).firstIndex(of: items.last!)! + 1 })
            }
            guard let nearest = freeSlots.last(where: { $0 < slot }) else {
                return .refused([.slotPinned(slot, by: anchor)])
            }
            return .list(any { $0.slots.last == nearest } ?? only { $0.slots.first == freeSlots.first })
        case .after(let anchor):
            guard let slot = slot(ofPinned: anchor) else {
                return .list(
                    only { self.free($0).firstIndex(of: anchor) == self.free($0).firstIndex(of: items.first!)! - 1 })
            }
            guard let nearest = freeSlots.first(where: { $0 > slot }) else {
                return .refused([.slotPinned(slot, by: anchor)])
            }
            return .list(any { $0.slots.first == nearest } ?? only { $0.slots.last == freeSlots.last })
        }
    }

    private func verdict(onIndex index: Int) -> ReferenceModel.Verdict {
        if let list = any({ $0.slots.first == index }) { return .list(list) }
        var reasons: [Refusal] = []
        if let pin = pins[index] { reasons.append(.slotPinned(index, by: pin)) }
        // One item has the whole list for its range; a block as much of it as pins at the tail leave room for.
        let maximum = items.count == 1 ? length - 1 : together.map { $0.slots[0] }.max()!
        if index > maximum { reasons.append(.indexOutOfRange(index: index, maximum: maximum)) }
        precondition(!reasons.isEmpty, "the rules allow no result, and name no reason")
        return .refused(reasons)
    }

    // MARK: What a list looks like

    private func any(_ isWanted: (Candidate) -> Bool) -> [FunctionID]? {
        let found = together.filter(isWanted)
        precondition(found.count < 2, "the rules allow two results")
        return found.first?.list
    }

    private func only(_ isWanted: (Candidate) -> Bool) -> [FunctionID] {
        guard let list = any(isWanted) else { preconditionFailure("the rules allow no result") }
        return list
    }

    private var freeSlots: [Int] { (0..<length).filter { pins[$0] == nil } }

    private func free(_ candidate: Candidate) -> [FunctionID] { candidate.list.filter { !pins.values.contains($0) } }

    private func slot(ofPinned anchor: FunctionID) -> Int? { pins.first { $0.value == anchor }?.key }
}
