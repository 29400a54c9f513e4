import LayoutModel
import LayoutTesting
import Testing

/// Faults that people met in other systems, those of them that a model can have, by their number in the list of
/// reports.
@Suite struct ReportedCaseTests {
    static let catalog = WorkedExampleTests.catalog

    private func after(_ start: String, _ operations: [Operation], in catalog: Catalog = catalog) -> [FunctionID]? {
        try? Layout.make(start, in: catalog).applying(operations).get()
    }

    private func refusal(_ start: String, _ operation: Operation, in catalog: Catalog = catalog) -> Refusal? {
        if case .failure(let refusal) = Layout.make(start, in: catalog).applying(operation) { refusal } else { nil }
    }

    @Test("1: overlapping moves lose nothing, in either order")
    func overlappingMoves() {
        let (one, two) = (Operation.move("a", .index(2)), Operation.move("b", .index(2)))
        #expect(after("a b c d e", [one, two]) == ids("c a b d e"))
        #expect(after("a b c d e", [two, one]) == ids("c b a d e"))
    }

    @Test("8: a move in one layout leaves another alone")
    func siblings() throws {
        var mine = Layout(healing: ids("a b"), catalog: Self.catalog, client: .make("u1"))
        let theirs = Layout(healing: ids("a b"), catalog: Self.catalog, client: .make("u2"))
        try mine.move(["b"], to: .index(0))
        #expect(mine.favorites == ids("b a"))
        #expect(theirs.favorites == ids("a b"))
    }

    @Test("10: a refused request leaves nothing behind")
    func refusedRequest() {
        let catalog = Catalog.make("a b c d e") { $0["b"].isMovable = false }
        var layout = Layout.make("a b c d e", in: catalog)
        #expect(throws: Rejection(.itemNotMovable("b"), operationIndex: 1)) {
            try layout.apply([.remove("a"), .move("b", .index(0))])
        }
        #expect(layout.favorites == ids("a b c d e"))
    }

    @Test("11–15: the final slot, whether up or down")
    func finalSlots() {
        #expect(after("a b c d e f g", [.move("c", .index(5))]) == ids("a b d e f c g"))
        #expect(after("a b c d e f g", [.move("c", .before("f"))]) == ids("a b d e c f g"))
        #expect(after("a b c d", [.move("a", .index(3))]) == ids("b c d a"))
        #expect(refusal("a b c d", .move("a", .index(4))) == .indexOutOfRange(index: 4, maximum: 3))
        #expect(after("a b c", [.move("c", .index(0))]) == ids("c a b"))
        #expect(after("a b c", [.move("c", .before("a"))]) == ids("c a b"))
        #expect(after("a b c d", [.move("a", .after("c"))]) == ids("b c a d"))
        #expect(after("a b c d", [.move("d", .after("a"))]) == ids("a d b c"))
        #expect(refusal("a b c d", .move("b", .before("b"))) == .anchorIsSelf("b"))
        #expect(after("a b c d", [.move("b", .before("c"))]) == ids("a b c d"))
    }

    @Test("19: ten thousand moves back and forth stay exact")
    func alternatingMoves() throws {
        var layout = Layout.make("a b c d e", in: Self.catalog)
        for _ in 0..<5_000 {
            try layout.move(["e"], to: .before("a"))
            try layout.move(["e"], to: .last)
        }
        #expect(layout.favorites == ids("a b c d e"))
    }

    @Test("20: no gap is left by a removal")
    func gaps() {
        #expect(after("a b c d e", [.remove("d"), .move("c", .after("e"))]) == ids("a b e c"))
    }

    @Test("22: each operation sees what the one before left")
    func sequence() {
        #expect(after("a b c d", [.move("a", .index(3))]) == ids("b c d a"))
        #expect(after("b c d a", [.move("b", .index(3))]) == ids("c d a b"))
        #expect(after("a b c d", [.move("a", .index(3)), .move("b", .index(3))]) == ids("c d a b"))
    }

    @Test("25: an id twice in a whole list is refused")
    func doubles() {
        #expect(
            Layout.make("a b", in: Self.catalog).replacing(with: "a b a")
                == .failure(.duplicateItem("a", indexes: [0, 2])))
    }

    @Test("26: a list over the limit is refused, never cut off")
    func limit() {
        let twelve = "a b c d e f g h i j k l"
        let catalog = Catalog.make(twelve + " m", limit: 12)
        #expect(
            Layout.make("a", in: catalog).replacing(with: twelve + " m")
                == .failure(.favoritesLimit(limit: 12, requested: 13, scope: .wholeList)))
        #expect(
            refusal(twelve, .add("m"), in: catalog) == .favoritesLimit(limit: 12, requested: 13, scope: .step))
        #expect(after(twelve, [.remove("a"), .add("m")], in: catalog)?.count == 12)
    }

    @Test("41–43: stale edits are carried over")
    func staleEdits() throws {
        var layout = Layout.make("a b c d e", in: Self.catalog)
        _ = try Rebase.apply([.move("d", .before("a"))], madeOn: ids("a b c d"), to: &layout)
        #expect(layout.favorites == ids("d a b c e"))

        layout = .make("a b d e", in: Self.catalog)
        let skipped = try Rebase.apply([.move("c", .index(0))], madeOn: ids("a b c d e"), to: &layout)
        #expect(skipped.map(\.result) == [.itemAbsent])
        #expect(layout.favorites == ids("a b d e"))

        let replaced = try Rebase.apply([.move("e", .after("c"))], madeOn: ids("a b c d e"), to: &layout)
        #expect(replaced.map(\.result) == [.anchorSubstituted(.after("b"))])
        #expect(layout.favorites == ids("a b e d"))
    }

    @Test("45: queued operations are applied in their order")
    func queue() throws {
        var layout = Layout.make("a b c d", in: Self.catalog)
        let queue: [Operation] = [.move("a", .last), .add("e", .after("a")), .remove("b")]
        let outcomes = try Rebase.apply(queue, madeOn: ids("a b c d"), to: &layout)
        #expect(outcomes.map(\.operation) == [.move, .add, .remove])
        #expect(layout.favorites == ids("c d a e"))
    }

    @Test("55: a pinned item does not drift")
    func pinned() {
        #expect(after("a b P c d", [.move("d", .index(0))]) == ids("d a P b c"))
        #expect(after("a b P c d", [.remove("a")]) == ids("b c P d"))
        #expect(after("a b P c d", [.add("h")]) == ids("a b P c d h"))
        #expect(refusal("a b P c d", .move("a", .index(2))) == .slotPinned(2, by: "P"))
        #expect(refusal("a b P c d", .move("P", .index(0))) == .itemNotMovable("P"))
    }

    @Test("56: the slot beside a pinned item is the first that is free")
    func besidePinned() {
        #expect(after("p a b c", [.move("c", .index(1))]) == ids("p c a b"))
        #expect(refusal("p a b c", .move("c", .index(0))) == .slotPinned(0, by: "p"))
        #expect(refusal("p a b c", .move("c", .before("p"))) == .slotPinned(0, by: "p"))
    }

    @Test("57: the page says what can't be done to a pinned item")
    func pinnedCell() throws {
        let catalog = Catalog.make("a b P c d") { draft in
            draft["P"].pin = 2
            draft["P"].isRemovable = false
        }
        let page = Page(.make("a b P c d", in: catalog), stored: .never, language: "en")
        #expect(page.favorites.map(\.canMove) == [true, true, false, true, true])
        #expect(page.favorites[2].badge != .remove)
        #expect(page.favorites[2].refusal == .itemNotMovable("P"))
    }

    @Test("59: what is deleted from the catalog is in neither list nor page, and leaves the stored list")
    func deleted() {
        let layout = Layout.make("a b c d", in: Catalog.make("a c d"))
        #expect(layout.favorites == ids("a c d"))
        let page = Page(layout, stored: .never, language: "en")
        #expect(page.favorites.map { page.function(of: $0).id } == ids("a c d"))
        #expect(page.sections.flatMap(\.cells).map { page.function(of: $0).id } == ids("a c d"))
        #expect(layout.stored(over: ids("a b c d")) == ids("a c d"))
    }
}
