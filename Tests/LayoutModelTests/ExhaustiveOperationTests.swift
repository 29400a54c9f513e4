import LayoutModel
import LayoutTesting
import Testing

/// Every small case of every operation against the reference.
@Suite struct ExhaustiveOperationTests {
    /// A list of `free` items a, b, c …, and one pinned at each of the slots. `x` is a function that is no favorite, `Y`
    /// a pinned one, `z` a retired one, and `u` none at all.
    private static func world(free: Int, slots: [Int]) -> (ReferenceModel, Layout) {
        let free = "a b c d e f".split(separator: " ").prefix(free).joined(separator: " ")
        let pinned = ["P", "Q", "R"].prefix(slots.count)
        let all = free + " " + pinned.joined(separator: " ")
        let catalog = Catalog.make(all + " x z Y") { draft in
            for (id, slot) in zip(pinned, slots) { draft[id].pin = slot }
            draft["z"].status = "retired"
            draft["Y"].pin = 1 + (slots.max() ?? 0)
        }
        return (ReferenceModel(catalog), Layout.make(all, in: catalog))
    }

    /// Every number of free items, and up to three pinned ones at every choice of slots up to one beyond the end.
    private static func worlds(upTo length: Int) -> [(ReferenceModel, Layout)] {
        (0...length).flatMap { length in
            subsets(of: Array(0...(length + 1)), upTo: min(3, length)).map { slots in
                world(free: length - slots.count, slots: slots)
            }
        }
    }

    private static func destinations(in list: [FunctionID]) -> [Placement.Destination] {
        (-1...(list.count + 2)).map { .index($0) }
            + (list + ["x", "z", "u"]).flatMap { [.before($0), .after($0)] } + [.first, .last]
    }

    @Test func theWorldsHealToTheReferencesLists() {
        var comparison = Comparison()
        for (model, layout) in Self.worlds(upTo: 6) {
            let all = model.catalog.functions.map(\.id).filter { !["x", "z", "Y"].contains($0) }
            comparison.equal(layout.favorites, model.heal(all), text(all))
        }
        comparison.finish(atLeast: 200)
    }

    @Test func movesOfOneItemAreTheReferences() {
        var comparison = Comparison()
        for (model, layout) in Self.worlds(upTo: 6) {
            for subject in layout.favorites + ["x", "z", "u", "Y"] {
                compareMoves(of: [subject], in: layout, with: model, &comparison) { _, destination in
                    .move(subject, destination)
                }
            }
        }
        comparison.finish(atLeast: 20_000)
    }

    @Test(arguments: [(2, 6), (3, 5)])
    func movesOfABlockAreTheReferences(size: Int, longest: Int) {
        var comparison = Comparison()
        for (model, layout) in Self.worlds(upTo: longest) {
            let free = layout.favorites.filter { model.pin(of: $0) == nil }
            // One that is pinned, one that is absent and one that is double stand for all such blocks.
            let pool = free + layout.favorites.filter { model.pin(of: $0) != nil }.prefix(1)
            var blocks = tuples(of: size, from: pool)
            if let first = free.first {
                blocks += [Array(repeating: first, count: size), [first, "x"], [first, "u"], ["z", first]]
            }
            for block in blocks {
                compareMoves(of: block, in: layout, with: model, &comparison) { items, destination in
                    .move(items, destination)
                }
            }
        }
        comparison.finish(atLeast: 40_000)
    }

    @Test func movesOfASlotAreTheReferences() {
        var comparison = Comparison()
        for (model, layout) in Self.worlds(upTo: 4) {
            for slot in -1...(layout.favorites.count + 1) {
                for destination in Self.destinations(in: layout.favorites) {
                    compare(.move(from: slot, destination), on: layout, with: model, &comparison)
                }
            }
        }
        comparison.finish(atLeast: 5_000)
    }

    @Test func additionsAreTheReferences() {
        var comparison = Comparison()
        for (model, layout) in Self.worlds(upTo: 6) {
            for id in layout.favorites.prefix(1) + layout.favorites.suffix(1) + ["x", "z", "u", "Y"] {
                compare(.add(id), on: layout, with: model, &comparison)
                for destination in Self.destinations(in: layout.favorites) {
                    compare(.add(id, destination), on: layout, with: model, &comparison)
                }
            }
        }
        comparison.finish(atLeast: 20_000)
    }

    @Test func removalsAreTheReferences() {
        var comparison = Comparison()
        for (model, layout) in Self.worlds(upTo: 6) {
            for id in layout.favorites + ["x", "z", "u", "Y"] {
                compare(.remove(id), on: layout, with: model, &comparison)
            }
        }
        comparison.finish(atLeast: 1_000)
    }

    /// Every policy that two free items and a pinned one can have, under every bound around the list's length.
    @Test func policiesAreTheReferences() {
        var comparison = Comparison()
        for policy in 0..<128 {
            for (minimum, limit) in [(0, 9), (3, 3), (2, 2), (4, 9)] {
                let catalog = Catalog.make("a b P x", minimum: minimum, limit: limit) { draft in
                    for (place, id) in ["a", "b"].enumerated() {
                        let bits = policy >> (3 * place)
                        draft[id].isMovable = bits & 1 == 0
                        draft[id].isRemovable = bits & 2 == 0
                        draft[id].isRequired = bits & 4 == 0
                    }
                    draft["P"].pin = 1
                    draft["P"].isRemovable = policy & 64 == 0
                }
                let layout = Layout.make("b P a", in: catalog)
                let model = ReferenceModel(catalog)
                for operation in Self.someOperations {
                    compare(operation, on: layout, with: model, &comparison)
                }
                compareWholeLists(from: layout, with: model, pool: ids("a b P x"), &comparison)
            }
        }
        comparison.finish(atLeast: 40_000)
    }

    @Test func wholeListsAroundPinsAreTheReferences() {
        var comparison = Comparison()
        for (model, layout) in Self.worlds(upTo: 3) {
            compareWholeLists(from: layout, with: model, pool: layout.favorites + ["x", "z"], &comparison)
            compareWholeLists(from: layout, with: model, pool: ["u", "Y"] + layout.favorites.prefix(2), &comparison)
        }
        comparison.finish(atLeast: 10_000)
    }

    // MARK: Comparing

    private static let someOperations: [Operation] =
        ids("a b P x").flatMap { id in
            [.move(id, .first), .move(id, .after("b")), .add(id), .add(id, .last), .remove(id)]
        } + [.move(ids("b a"), .first), .move(ids("a b"), .first), .move(ids("a x"), .last), .move(from: 0, .last)]

    private func compare(
        _ operation: Operation, on layout: Layout, with model: ReferenceModel, _ comparison: inout Comparison
    ) {
        let expected = model.apply(operation, to: layout.favorites)
        comparison.note(
            difference(layout.applying(operation), from: expected), describe(layout, model, "\(operation)"))
    }

    private func compareMoves(
        of items: [FunctionID], in layout: Layout, with model: ReferenceModel, _ comparison: inout Comparison,
        _ operation: ([FunctionID], Placement.Destination) -> Operation
    ) {
        let list = layout.favorites
        let canMove = Set(items).count == items.count && items.allSatisfy { list.contains($0) && model.mayMove($0) }
        let arrangements = canMove ? Arrangements(of: items, among: list, by: model) : nil
        for destination in Self.destinations(in: list) {
            let expected = model.move(items, Placement(destination), in: list, arrangements: arrangements)
            let operation = operation(items, destination)
            comparison.note(
                difference(layout.applying(operation), from: expected), describe(layout, model, "\(operation)"))
        }
    }

    /// Every list of different items of the pool, and some with a double.
    private func compareWholeLists(
        from layout: Layout, with model: ReferenceModel, pool: [FunctionID], _ comparison: inout Comparison
    ) {
        let lists = (0...pool.count).flatMap { tuples(of: $0, from: pool) }
        for wanted in lists + pool.map({ [$0] + layout.favorites + [$0] }) {
            let expected = model.replace(layout.favorites, with: wanted)
            let got = layout.trying { layout throws(Refusal) in try layout.replace(with: wanted) }
            comparison.note(difference(got, from: expected), describe(layout, model, "replace with \(text(wanted))"))
        }
    }

    private func describe(_ layout: Layout, _ model: ReferenceModel, _ change: String) -> String {
        let pins = layout.favorites.compactMap { id in model.pin(of: id).map { "\(id)@\($0)" } }
        return "[\(text(layout.favorites))] \(pins) \(change)"
    }
}
