import LayoutModel

/// The fewest steps from one list to another.
enum EditScript {
    /// - Returns: removals, then moves and additions from left to right, each behind its left neighbour. Carried out on
    ///   `layout` they give `wanted`.
    static func operations(from layout: Layout, to wanted: [FunctionID]) -> [FavoritesOperation] {
        func isFree(_ id: FunctionID) -> Bool { layout.catalog[id]?.pin == nil }
        var operations = layout.favorites.filter { !wanted.contains($0) }.map { FavoritesOperation.remove($0.text) }
        operations += wanted.filter { !isFree($0) && !layout.contains($0) }.map { .add($0.text) }

        let places = Dictionary(uniqueKeysWithValues: layout.favorites.enumerated().map { ($1, $0) })
        let free = wanted.filter(isFree)
        let fixed = Set(free.filter { layout.catalog[$0]?.canMove == false && layout.contains($0) })
        let kept = longestRun(free.filter(layout.contains), by: places, through: fixed)
        for (index, id) in free.enumerated() where !kept.contains(id) {
            let place: FavoritesOperation.Placement = index == 0 ? .first : .after(free[index - 1].text)
            operations.append(layout.contains(id) ? .move(id.text, to: place) : .add(id.text, at: place))
        }
        return operations
    }

    /// The most items that stand in the same order in both lists, all of `fixed` among them. O(n²): a list has a dozen.
    private static func longestRun(
        _ items: [FunctionID], by places: [FunctionID: Int], through fixed: Set<FunctionID>
    ) -> Set<FunctionID> {
        let anchors = items.enumerated().filter { fixed.contains($1) }
        let candidates = items.enumerated().filter { index, id in
            anchors.allSatisfy { ($0.offset < index) == (places[$0.element]! < places[id]!) || $0.element == id }
        }.map(\.element)
        var best: [[FunctionID]] = []
        for id in candidates {
            let before = best.filter { places[$0.last!]! < places[id]! }.max { $0.count < $1.count } ?? []
            best.append(before + [id])
        }
        return Set(best.max { $0.count < $1.count } ?? [])
    }
}
