import LayoutModel
import LayoutTesting
import Testing

@Suite struct HealingTests {
    private func heal(_ stored: String?, in catalog: Catalog, for client: Client = .make()) -> [FunctionID] {
        Layout(healing: stored.map { ids($0) }, catalog: catalog, client: client).favorites
    }

    // MARK: The six steps

    @Test func withoutAStoredListTheDefaultsAreFollowed() {
        #expect(heal(nil, in: .make("a b c", defaults: "c a")) == ids("c a"))
        #expect(heal("", in: .make("a b c", defaults: "c a")) == [])
    }

    @Test func whatTheCatalogDoesNotHaveIsDroppedFromTheStoredListToo() {
        let layout = Layout.make("a u b", in: .make("a b"))
        #expect(layout.favorites == ids("a b"))
        #expect(layout.stored(over: ids("a u b")) == ids("a b"))
    }

    @Test func whatIsRetiredIsHiddenAndKeptInTheStoredList() {
        let layout = Layout.make("a z b", in: .make("a b z") { $0["z"].status = "retired" })
        #expect(layout.favorites == ids("a b"))
        #expect(layout.stored(over: ids("a z b")) == ids("a z b"))
    }

    @Test func whatIsRequiredAndMissingIsAppendedInTheCatalogsOrder() {
        let catalog = Catalog.make("a b r q") { draft in
            draft["r"].isRequired = true
            draft["q"].isRequired = true
        }
        #expect(heal("a b", in: catalog) == ids("a b r q"))
        #expect(heal("q a b", in: catalog) == ids("q a b r"))
    }

    @Test func whatIsRequiredButHiddenStaysHidden() {
        let catalog = Catalog.make("a r") { draft in
            draft["r"].isRequired = true
            draft["r"].status = "retired"
        }
        #expect(heal("a", in: catalog) == ids("a"))
    }

    @Test func pinnedFunctionsAreAtTheirSlotsOrAtTheEndOfAShorterList() {
        let catalog = Catalog.make("a b c P Q") { draft in
            draft["P"].pin = 1
            draft["Q"].pin = 9
        }
        #expect(heal("P Q a b c", in: catalog) == ids("a P b c Q"))
        #expect(heal("Q P", in: catalog) == ids("P Q"))
        #expect(heal("a b c", in: catalog) == ids("a b c"))
    }

    /// They are put in otherwise than a few, so: random lists against pins that are put in one by one.
    @Test func manyPinnedFunctionsAreWhereFewWouldBe() {
        let slots = ["p0": 0, "p1": 1, "p2": 4, "p3": 5, "p4": 6, "p5": 9, "p6": 15, "p7": 40]
        let free = (0..<12).map { "f\($0)" }
        let catalog = Catalog.make((free + slots.keys.sorted()).joined(separator: " "), limit: 30) { draft in
            for (id, slot) in slots { draft[id].pin = slot }
        }
        var generator = SplitMix64(seed: 7)
        for _ in 0..<2_000 {
            let list = (free + slots.keys.sorted()).shuffled(using: &generator)
                .prefix(Int.random(in: 0...20, using: &generator))
            var expected = list.filter { slots[$0] == nil }
            for id in list.filter({ slots[$0] != nil }).sorted() {
                expected.insert(id, at: min(slots[id]!, expected.count))
            }
            let healed = heal(list.joined(separator: " "), in: catalog)
            #expect(healed.map(\.text) == expected, "\(list)")
            // And an operation takes the list apart and puts it together again.
            guard let first = expected.first(where: { slots[$0] == nil }) else { continue }
            var layout = Layout(healing: healed, catalog: catalog, client: .make())
            #expect(throws: Never.self) { try layout.remove(FunctionID(first)!) }
            var rest = expected.filter { slots[$0] == nil && $0 != first }
            for id in expected.filter({ slots[$0] != nil }).sorted() {
                rest.insert(id, at: min(slots[id]!, rest.count))
            }
            #expect(layout.favorites.map(\.text) == rest, "\(list)")
        }
    }

    @Test func aLoweredLimitThrowsNobodyOut() {
        let layout = Layout.make("a b c d", in: .make("a b c d e", limit: 2))
        #expect(layout.favorites == ids("a b c d"))
        #expect(layout.applying(.add("e")) == .failure(.favoritesLimit(limit: 2, requested: 5, scope: .step)))
        #expect(layout.replacing(with: "d c b a") == .success(ids("d c b a")))
        #expect(layout.replacing(with: "d c b") == .success(ids("d c b")))
        #expect(
            layout.replacing(with: "a b c e")
                == .failure(.favoritesLimit(limit: 2, requested: 4, scope: .wholeList)))
    }

    @Test func aRaisedMinimumTakesNothingAway() {
        let layout = Layout.make("a b", in: .make("a b c", minimum: 3))
        #expect(layout.favorites == ids("a b"))
        #expect(layout.replacing(with: "b a") == .success(ids("b a")))
        #expect(layout.replacing(with: "b a c") == .success(ids("b a c")))
        #expect(
            layout.applying(.remove("a")) == .failure(.favoritesMinimum(minimum: 3, requested: 1, scope: .step)))
    }

    // MARK: Against the reference

    /// Every order of every part of five functions, with a and b in all their kinds.
    @Test func everySmallListHealsAsTheReferenceSaysAndOnlyOnce() {
        var comparison = Comparison()
        let lists = (0...4).flatMap { tuples(of: $0, from: ids("a b c P u")) }
        for kind in 0..<32 {
            let catalog = Catalog.make("a b c P") { draft in
                draft["P"].pin = [0, 1, 2, 7][kind & 3]
                if kind & 4 != 0 { draft["a"].pin = 3 }
                draft["a"].isRequired = kind & 8 != 0
                draft["b"].status = kind & 16 != 0 ? "retired" : "active"
                draft["b"].isRequired = true
            }
            let model = ReferenceModel(catalog)
            for stored in lists {
                let layout = Layout(healing: stored, catalog: catalog, client: .make())
                comparison.equal(layout.favorites, model.heal(stored), "[\(text(stored))], kind \(kind)")
                let again = Layout(healing: layout.favorites, catalog: catalog, client: .make())
                comparison.equal(again.favorites, layout.favorites, "twice [\(text(stored))], kind \(kind)")
                let kept = layout.stored(over: stored)
                comparison.equal(kept, model.stored(layout.favorites, over: stored), "store [\(text(stored))]")
                let back = Layout(healing: kept, catalog: catalog, client: .make())
                comparison.equal(back.favorites, layout.favorites, "stored and healed [\(text(stored))]")
            }
        }
        comparison.finish(atLeast: 25_000)
    }

    // MARK: Weaving

    /// Each part of five functions is hidden; one operation is made; then all are back.
    @Test func hiddenItemsFollowTheirLeftNeighboursThroughEveryOperation() {
        var comparison = Comparison()
        let all = ids("a b c d e")
        let whole = Catalog.make("a b c d e")
        for length in 0...5 {
            let stored = Array(all.prefix(length))
            for hidden in subsets(of: stored, upTo: length) {
                let catalog = Catalog.make("a b c d e") { draft in
                    for id in hidden { draft[id.text].status = "retired" }
                }
                let model = ReferenceModel(catalog)
                let layout = Layout(healing: stored, catalog: catalog, client: .make())
                for operation in Self.everyOperation(on: layout.favorites, and: all) {
                    guard case .success(let list) = layout.applying(operation) else { continue }
                    var changed = layout
                    _ = try? changed.apply([operation])
                    let kept = changed.stored(over: stored)
                    let input = "[\(text(stored))] without [\(text(hidden))] after \(operation)"
                    comparison.equal(kept, model.stored(list, over: stored), input)
                    comparison.equal(
                        Set(kept), Set(list + hidden), "every hidden id once: \(input)")
                    comparison.equal(kept.count, list.count + hidden.count, "nothing twice: \(input)")
                    comparison.equal(heal(text(kept), in: whole), kept, "restored: \(input)")
                    if list == layout.favorites { comparison.equal(kept, stored, "a no-op stores the same: \(input)") }
                }
            }
        }
        comparison.finish(atLeast: 3_500)
    }

    @Test func whereTheLeftNeighbourLeavesTheNextOneFurtherLeftIsFollowed() throws {
        let catalog = Catalog.make("a b z c") { $0["z"].status = "retired" }
        var layout = Layout.make("a b z c", in: catalog)
        try layout.remove("b")
        #expect(layout.stored(over: ids("a b z c")) == ids("a z c"))
        try layout.remove("a")
        #expect(layout.stored(over: ids("a b z c")) == ids("z c"))
    }

    @Test func aListStoredOverTheDefaultsKeepsTheirHiddenItems() throws {
        let catalog = Catalog.make("a b c", defaults: "a b c") { $0["b"].status = "retired" }
        var layout = Layout(healing: nil, catalog: catalog, client: .make())
        try layout.move(["c"], to: .first)
        #expect(layout.stored(over: nil) == ids("c a b"))
    }

    private static func everyOperation(on list: [FunctionID], and all: [FunctionID]) -> [Operation] {
        list.flatMap { id in list.indices.map { .move(id, .index($0)) } + [.remove(id)] }
            + all.flatMap { [.add($0), .add($0, .first)] } + [.move(list.reversed(), .first)]
    }
}
