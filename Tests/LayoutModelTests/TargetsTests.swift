import LayoutModel
import LayoutTesting
import Testing

/// What a drag asks: may it be moved, and where may it be dropped.
@Suite struct TargetsTests {
    private let layout = Layout.make(
        "a b P c d",
        in: .make("a b c d e P m z") { draft in
            draft["P"].pin = 2
            draft["m"].isMovable = false
            draft["z"].status = "retired"
        })

    private func expect(
        _ targets: DragTargets, refusal: Refusal?, slots: [Int], corrected: Int?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(targets.refusal == refusal, sourceLocation: sourceLocation)
        #expect(targets.slots == slots, sourceLocation: sourceLocation)
        #expect(targets.corrected == corrected, sourceLocation: sourceLocation)
    }

    @Test func anItemMayGoToEverySlotThatIsNotPinned() {
        let targets = layout.targets(of: "a", proposed: nil, locked: false)
        expect(targets, refusal: nil, slots: [0, 1, 3, 4], corrected: nil)
    }

    @Test(
        "a proposed slot is corrected to the nearest allowed, the lower of two",
        arguments: [
            (0, 0), (1, 1), (2, 1), (3, 3), (4, 4), (5, 4), (-1, 0), (Int.max, 4), (Int.min, 0),
        ])
    func corrected(proposed: Int, slot: Int) {
        #expect(layout.targets(of: "a", proposed: proposed, locked: false).corrected == slot)
    }

    @Test func whatMayNotBeMovedGoesBackToItsOwnSlot() {
        let targets = layout.targets(of: "P", proposed: 4, locked: false)
        expect(targets, refusal: .itemNotMovable("P"), slots: [], corrected: 2)
        let locked = layout.targets(of: "d", proposed: 0, locked: true)
        expect(locked, refusal: .layoutLocked, slots: [], corrected: 4)
    }

    @Test(
        "what is no favorite has nowhere to go",
        arguments: [
            ("e", .notAFavorite("e")), ("z", .functionUnavailable("z")), ("u", .unknownFunction("u")),
        ] as [(FunctionID, Refusal)])
    func noFavorite(id: FunctionID, refusal: Refusal) {
        let targets = layout.targets(of: id, proposed: 1, locked: false)
        expect(targets, refusal: refusal, slots: [], corrected: nil)
    }

    /// Whatever the targets allow, a move does, and nothing else; with every choice of pins in lists of up to five.
    @Test func theTargetsAreTheSlotsThatAMoveAccepts() {
        var comparison = Comparison()
        for length in 1...5 {
            for slots in subsets(of: Array(0...(length + 1)), upTo: min(2, length)) {
                let list = Array(ids("P Q").prefix(slots.count) + ids("a b c d e").prefix(length - slots.count))
                let catalog = Catalog.make("a b c d e P Q") { draft in
                    for (id, slot) in zip(["P", "Q"], slots) { draft[id].pin = slot }
                    draft["b"].isMovable = false
                }
                let layout = Layout(healing: list, catalog: catalog, client: .make())
                for id in layout.favorites {
                    let targets = layout.targets(of: id, proposed: nil, locked: false)
                    let accepted = (0...length).filter { slot in
                        if case .success = layout.applying(.move(id, .index(slot))) { true } else { false }
                    }
                    comparison.equal(targets.slots, accepted, "\(id) in [\(text(layout.favorites))]")
                    comparison.equal(targets.refusal == nil, !accepted.isEmpty, "\(id) in [\(text(layout.favorites))]")
                }
            }
        }
        comparison.finish(atLeast: 600)
    }
}
