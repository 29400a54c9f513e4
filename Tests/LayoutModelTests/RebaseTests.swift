import LayoutModel
import LayoutTesting
import Testing

/// Every operation made on a list of four, after every single change by another device, against the reference.
@Suite struct RebaseTests {
    /// A base list, and the catalog of today.
    struct World: CustomTestStringConvertible {
        let base: [FunctionID]
        let catalog: Catalog
        var model: ReferenceModel { ReferenceModel(catalog) }
        var testDescription: String { text(base) }
        var layout: Layout { Layout(healing: base, catalog: catalog, client: .make()) }

        init(_ base: String, limit: Int = 9, _ change: (inout CatalogDraft) -> Void = { _ in }) {
            self.base = ids(base)
            catalog = .make("a b c d p P q x y", limit: limit) { draft in
                draft["p"].pin = 0
                draft["P"].pin = 2
                draft["q"].pin = 8
                change(&draft)
            }
        }
    }

    static let worlds = [
        World("a b c d"), World("a b c d", limit: 4), World("p a b c"), World("a b P c"), World("p a P q"),
        World("a b c d") { $0["b"].isMovable = false },
        World("a b c d") { $0["c"].isRemovable = false },
    ]

    /// Worlds in which the catalog has taken something away since the base was made.
    static let shrunkenWorlds = [
        World("a b c d") { $0["b"].status = "retired" },
        World("a b c d") {
            $0["a"].status = "retired"
            $0["b"].status = "retired"
        },
        World("a b P d") { $0["P"].status = "retired" },
        World("a u c d"), World("p u a b"),
    ]

    @Test(arguments: worlds + shrunkenWorlds)
    func everyOperationAfterEveryChangeIsTheReferences(world: World) {
        var comparison = Comparison()
        let model = ReferenceModel(world.catalog)
        let operations = Self.operations(on: world)
        for now in Self.changes(of: world) {
            let layout = Layout(healing: now, catalog: world.catalog, client: .make())
            for operation in operations {
                let expected = ReferenceRebase.apply([operation], from: world.base, onto: layout.favorites, by: model)
                comparison.note(
                    difference(layout.rebased([operation], world.base), from: expected),
                    "made on [\(text(world.base))], now [\(text(now))]: \(operation)")
            }
        }
        comparison.finish(atLeast: 1_500)
    }

    /// Its author had it, so there was nothing to bring back; but to say that it is there would be wrong.
    @Test func addingWhatAnotherDeviceRemovedIsSkipped() throws {
        let world = World("a b c d")
        var layout = Layout(healing: ids("a b d"), catalog: world.catalog, client: .make())
        let outcomes = try Rebase.apply([.add("c", at: nil), .add("b", at: nil)], madeOn: world.base, to: &layout)
        #expect(outcomes.map(\.result) == [.itemAbsent, .unchanged])
        #expect(layout.favorites == ids("a b d"))
    }

    @Test func withoutAConcurrentChangeARebaseIsThePlainOperation() {
        var comparison = Comparison()
        for world in Self.worlds {
            for operation in Self.operations(on: world) {
                let (one, two) = (world.layout.outcome(of: [operation]), world.layout.rebased([operation], world.base))
                comparison.equal(two, one, "[\(text(world.base))] \(operation)")
            }
        }
        comparison.finish(atLeast: 1_400)
    }

    // MARK: By name

    @Test func aBlockIsCarriedOverWithoutWhatIsGone() throws {
        var layout = World("a c d").layout
        let outcomes = try Rebase.apply([.move(ids("d b c"), .first)], madeOn: ids("a b c d"), to: &layout)
        #expect(layout.favorites == ids("d c a"))
        #expect(outcomes.map(\.items) == [ids("d c")])
        #expect(outcomes.map(\.absent) == [["b"]])
    }

    @Test func anIndexMeansTheLeftNeighbourThatItsAuthorSaw() throws {
        var layout = World("x y a b c d").layout
        _ = try Rebase.apply([.move("d", .index(1))], madeOn: ids("a b c d"), to: &layout)
        #expect(layout.favorites == ids("x y a d b c"))
    }

    @Test func aSlotMeansTheItemThatItsAuthorSawThere() throws {
        var layout = World("d c b a").layout
        _ = try Rebase.apply([.move(from: 0, .first)], madeOn: ids("a b c d"), to: &layout)
        #expect(layout.favorites == ids("a d c b"))
    }

    @Test func withNoNeighbourLeftTheOperationIsSkipped() throws {
        var layout = World("d x").layout
        let outcomes = try Rebase.apply([.move("d", .after("b"))], madeOn: ids("b d"), to: &layout)
        #expect(outcomes.map(\.result) == [.anchorAbsent])
        #expect(layout.favorites == ids("d x"))
    }

    @Test func theRightNeighbourServesWhereNoLeftOneIsThere() throws {
        var layout = World("c x d").layout
        let outcomes = try Rebase.apply([.move("d", .after("a"))], madeOn: ids("a c d"), to: &layout)
        #expect(outcomes.map(\.result) == [.anchorSubstituted(.before("c"))])
        #expect(layout.favorites == ids("d c x"))
    }

    @Test func whatAnotherDeviceAddedIsNotAddedTwice() throws {
        var layout = World("x a b").layout
        let outcomes = try Rebase.apply([.add("x", .last)], madeOn: ids("a b"), to: &layout)
        #expect(outcomes.map(\.result) == [.unchanged])
        #expect(layout.favorites == ids("x a b"))
    }

    @Test func whatAnotherDeviceRemovedIsNotBroughtBackByAnAddition() throws {
        var layout = World("a b").layout
        _ = try Rebase.apply([.add("c"), .add("c", .first)], madeOn: ids("a b c"), to: &layout)
        #expect(layout.favorites == ids("a b"))
    }

    @Test func whatTheCatalogHasHiddenSinceIsGoneAndNoMistake() throws {
        let world = World("a b c d") { $0["b"].status = "retired" }
        let operations: [Operation] = [.move("b", .last), .add("b", .first), .remove("b"), .move("d", .after("b"))]
        var layout = world.layout
        let outcomes = try Rebase.apply(operations, madeOn: ids("a b c d"), to: &layout)
        #expect(
            outcomes.map(\.result) == [.itemAbsent, .itemAbsent, .unchanged, .anchorSubstituted(.after("a"))])
        #expect(layout.favorites == ids("a d c"))
    }

    @Test func whatAuthorsMayNotDoToTheirOwnListRefusesTheRequest() {
        var layout = World("a b x").layout
        #expect(throws: Rejection(.indexOutOfRange(index: 2, maximum: 1), operationIndex: 1)) {
            try Rebase.apply([.move("b", .first), .move("b", .index(2))], madeOn: ids("a b"), to: &layout)
        }
        #expect(layout.favorites == ids("a b x"))
    }

    @Test func todaysPolicyRefusesTheRequest() {
        var layout = World("a b c d", limit: 4).layout
        #expect(throws: Rejection(.favoritesLimit(limit: 4, requested: 5, scope: .step), operationIndex: 1)) {
            try Rebase.apply([.move("a", .last), .add("x")], madeOn: ids("a b c"), to: &layout)
        }
        #expect(layout.favorites == ids("a b c d"))
    }

    // MARK: Cases

    static func operations(on world: World) -> [Operation] {
        let list = world.base
        var destinations: [Placement.Destination] = [.first, .last]
        for index in 0...list.count { destinations.append(.index(index)) }
        for anchor in list + ["x"] { destinations += [.before(anchor), .after(anchor)] }
        let blocks: [[FunctionID]] = [[list[0], list[1]], [list[3], list[1]], [list[2], "x"]]

        var operations: [Operation] = []
        for destination in destinations {
            for id in list + ["x"] { operations.append(.move(id, destination)) }
            for block in blocks { operations.append(.move(block, destination)) }
            for id in [list[1], "x", "P"] { operations.append(.add(id, destination)) }
        }
        for slot in 0...list.count { operations += [.move(from: slot, .last), .move(from: slot, .index(1))] }
        for id in list + ["x", "P"] { operations += [.add(id), .remove(id)] }
        return operations
    }

    /// The list of today: the base, and what one change makes of it, or two removals.
    static func changes(of world: World) -> [[FunctionID]] {
        let layout = world.layout
        let list = layout.favorites
        var requests: [[Operation]] = [[.add("P")]]
        for id in list {
            for index in list.indices { requests.append([.move(id, .index(index))]) }
            for other in list { requests.append([.remove(id), .remove(other)]) }
        }
        for index in 0...list.count { requests.append([.add("x", .index(index))]) }
        var seen: Set<[FunctionID]> = [list]
        return [list] + requests.compactMap { try? layout.applying($0).get() }.filter { seen.insert($0).inserted }
    }
}

/// What a request did: the list and what became of each operation.
struct Done: Equatable {
    var list: [FunctionID]
    var outcomes: [Outcome]
}

extension Layout {
    func outcome(of operations: [Operation]) -> Result<Done, Rejection> {
        var layout = self
        do throws(Rejection) {
            let outcomes = try layout.apply(operations)
            return .success(Done(list: layout.favorites, outcomes: outcomes))
        } catch {
            return .failure(error)
        }
    }

    func rebased(_ operations: [Operation], _ base: [FunctionID]?) -> Result<Done, Rejection> {
        var layout = self
        do throws(Rejection) {
            let outcomes = try Rebase.apply(operations, madeOn: base, to: &layout)
            return .success(Done(list: layout.favorites, outcomes: outcomes))
        } catch {
            precondition(layout.favorites == favorites, "a refused request changed the layout")
            return .failure(error)
        }
    }
}

func difference(_ got: Result<Done, Rejection>, from expected: ReferenceRebase.Verdict) -> String? {
    switch (got, expected) {
    case (.success(let done), .list(let list, let outcomes))
    where done.list == list && done.outcomes.map({ ReferenceRebase.Carried($0) }) == outcomes: nil
    case (.failure(let got), .refused(let index, let reasons))
    where got.operationIndex == index && reasons.contains(got.refusal): nil
    default: "expected \(expected), got \(got)"
    }
}
