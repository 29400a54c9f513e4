/// What a drag asks before and while it moves.
package struct DragTargets: Equatable, Sendable {
    /// Why the item may not be moved; nil where it may.
    package var refusal: Refusal?
    /// The slots at which it may be dropped, its own among them. Empty where it may not be moved.
    package var slots: [Int]
    /// The slot to use for the one that was proposed: the nearest allowed, the lower of two; the item's own where it may
    /// not be moved. nil where nothing was proposed, or the item is no favorite.
    package var corrected: Int?
}

extension Layout {
    /// Where `id` may go: `canMoveItemAt` and `targetIndexPathForMoveFromItemAt` of UICollectionView.
    package func targets(of id: FunctionID, proposed: Int?, locked: Bool) -> DragTargets {
        let place = favorites.firstIndex(of: id)
        if let refusal = moveRefusal(of: id, locked: locked) {
            return DragTargets(refusal: refusal, slots: [], corrected: proposed.flatMap { _ in place })
        }
        let list = takenApart()
        let pinned = list.slots(withFree: list.free.count)
        let slots = favorites.indices.filter { !pinned.contains($0) }
        let corrected = proposed.flatMap { proposed in
            // What a client proposes may be any number: brought near the list, a difference cannot overflow.
            let wanted = min(max(proposed, -1), favorites.count)
            return slots.min { abs($0 - wanted) < abs($1 - wanted) }
        }
        return DragTargets(refusal: nil, slots: slots, corrected: corrected)
    }

    /// Why `id` may not be moved at all; nil where it may.
    package func moveRefusal(of id: FunctionID, locked: Bool) -> Refusal? {
        if locked { return .layoutLocked }
        guard let function = catalog[id] else { return .unknownFunction(id) }
        guard function.isAvailable(to: client) else { return .functionUnavailable(id) }
        guard contains(id) else { return .notAFavorite(id) }
        return function.canMove ? nil : .itemNotMovable(id)
    }
}
