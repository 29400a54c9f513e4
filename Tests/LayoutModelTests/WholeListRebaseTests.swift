import LayoutModel
import LayoutTesting
import Testing

/// A final list instead of operations, made on an older version.
@Suite struct WholeListRebaseTests {
    private func rebased(
        _ wanted: [FunctionID], from base: [FunctionID], onto layout: Layout
    ) -> Result<Done, Refusal> {
        var layout = layout
        do throws(Refusal) {
            let outcomes = try Rebase.apply(wanted, madeOn: base, to: &layout)
            return .success(Done(list: layout.favorites, outcomes: outcomes))
        } catch {
            return .failure(error)
        }
    }

    /// Every list made of every base's items and two more, in worlds with pins, bounds and fixed items.
    @Test func withoutAConcurrentChangeItIsTheWholeListAndTheFewestSteps() {
        var comparison = Comparison()
        for world in RebaseTests.worlds {
            let layout = world.layout
            let pool = world.base + ["x"]
            for wanted in (0...5).flatMap({ tuples(of: $0, from: pool) }) {
                let input = "[\(text(world.base))] to [\(text(wanted))]"
                let plain = layout.trying { layout throws(Refusal) in try layout.replace(with: wanted) }
                let rebased = rebased(wanted, from: world.base, onto: layout)
                comparison.equal(rebased.map(\.list), plain, input)
                guard case .success(let done) = rebased else { continue }
                let fewest = fewestSteps(from: world.base, to: wanted, in: world)
                comparison.equal(done.outcomes.count, fewest, "steps of \(input)")
                comparison.note(
                    done.outcomes.allSatisfy { $0.result == .applied } ? nil : "got \(done.outcomes)", input)
            }
        }
        comparison.finish(atLeast: 5_000)
    }

    /// Removals and additions, and a move for each item but the most that can stay in their order.
    private func fewestSteps(from base: [FunctionID], to wanted: [FunctionID], in world: RebaseTests.World) -> Int {
        let model = world.model
        let free = base.filter { wanted.contains($0) && model.pin(of: $0) == nil }
        let kept = subsets(of: free, upTo: free.count).filter { kept in
            wanted.filter(kept.contains) == kept
                && free.allSatisfy { kept.contains($0) || model.mayMove($0) || model.mayLeave($0) }
        }
        return base.count { !wanted.contains($0) } + wanted.count { !base.contains($0) }
            + free.count - kept.map(\.count).max()!
    }

    /// The steps are those of the rules, in an order that a person would take: removals, then from left to right what
    /// does not stand behind its left neighbour yet. Where several fewest sets of moves exist, any of them will do.
    @Test func afterEveryChangeItIsTheFewestOperationsCarriedOver() {
        var comparison = Comparison()
        let world = RebaseTests.World("a b c d")
        let model = world.model
        for now in RebaseTests.changes(of: world) {
            let layout = Layout(healing: now, catalog: world.catalog, client: .make())
            for wanted in (0...5).flatMap({ tuples(of: $0, from: world.base + ["x"]) }) {
                guard case .success(let done) = rebased(wanted, from: world.base, onto: layout) else {
                    Issue.record("[\(text(wanted))] onto [\(text(now))] is refused")
                    return
                }
                let isOneOfThem = operations(from: world.base, to: wanted).contains { choice in
                    let expected = ReferenceRebase.apply(choice, from: world.base, onto: now, by: model)
                    return if case .list(done.list, _) = expected { true } else { false }
                }
                comparison.note(
                    isOneOfThem ? nil : "got [\(text(done.list))]",
                    "[\(text(world.base))] to [\(text(wanted))] onto [\(text(now))]")
            }
        }
        comparison.finish(atLeast: 8_000)
    }

    private func operations(from base: [FunctionID], to wanted: [FunctionID]) -> [[Operation]] {
        let removals = base.filter { !wanted.contains($0) }.map { Operation.remove($0) }
        let common = base.filter(wanted.contains)
        let kept = subsets(of: common, upTo: common.count).filter { kept in wanted.filter(kept.contains) == kept }
        let most = kept.map(\.count).max()!
        return kept.filter { $0.count == most }.map { kept in
            removals
                + wanted.indices.filter { !kept.contains(wanted[$0]) }.map { index in
                    let place: Placement.Destination = index == 0 ? .first : .after(wanted[index - 1])
                    return base.contains(wanted[index]) ? .move(wanted[index], place) : .add(wanted[index], place)
                }
        }
    }

    // MARK: By name

    @Test func whatAnotherDeviceAddedStays() {
        let done = rebased(ids("d c b a"), from: ids("a b c d"), onto: RebaseTests.World("a b c d x").layout)
        #expect((try? done.get().list.sorted { $0.text < $1.text }) == ids("a b c d x"))
    }

    @Test func whatAnotherDeviceRemovedIsNotBroughtBack() {
        let done = rebased(ids("d a b c"), from: ids("a b c d"), onto: RebaseTests.World("a b c").layout)
        #expect((try? done.get().list) == ids("a b c"))
        #expect((try? done.get().outcomes.map(\.result)) == [.itemAbsent])
    }

    @Test func whereTheLeftNeighbourIsGoneWhatStandsInItsPlaceServes() {
        let done = rebased(ids("a d c b"), from: ids("a b c d"), onto: RebaseTests.World("b c d").layout)
        #expect((try? done.get().list) == ids("d c b"))
    }

    @Test func whereNothingInItsPlaceIsLeftAnyNeighbourServes() {
        let done = rebased(ids("a x c b"), from: ids("a b c d"), onto: RebaseTests.World("c d").layout)
        #expect((try? done.get().list) == ids("x c"))
    }

    @Test func anIdTwiceIsRefused() {
        let done = rebased(ids("a b a"), from: ids("a b"), onto: RebaseTests.World("a b x").layout)
        #expect(done == .failure(.duplicateItem("a", indexes: [0, 2])))
    }

    @Test func theBoundsAreThoseOfTheResultingList() {
        let layout = RebaseTests.World("a b x", limit: 3).layout
        let done = rebased(ids("a b y"), from: ids("a b"), onto: layout)
        #expect(done == .failure(.favoritesLimit(limit: 3, requested: 4, scope: .wholeList)))
    }

    @Test func whatTheCatalogHasHiddenSinceIsNoMistake() {
        let world = RebaseTests.World("a b c d") { $0["b"].status = "retired" }
        let done = rebased(ids("d b a c"), from: ids("a b c d"), onto: world.layout)
        #expect((try? done.get().list) == ids("d a c"))
    }
}
