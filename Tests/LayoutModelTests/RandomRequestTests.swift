import LayoutModel
import LayoutTesting
import Testing

/// Several devices, each on a version of its own, send requests at random. The seed is printed where something is
/// wrong.
@Suite struct RandomRequestTests {
    /// Eight ordinary functions, two pinned, one that must stay, one that can't be moved, one retired.
    private static let catalog = Catalog.make("a b c d e f g h P Q r m z", limit: 11) { draft in
        draft["P"].pin = 1
        draft["Q"].pin = 5
        draft["r"].isRequired = true
        draft["m"].isMovable = false
        draft["z"].status = "retired"
    }
    private static let model = ReferenceModel(catalog)
    private static let everything = catalog.functions.map(\.id)

    private func layout(_ stored: [FunctionID]) -> Layout {
        Layout(healing: stored, catalog: Self.catalog, client: .make())
    }

    private func destination(_ random: inout SplitMix64) -> Placement.Destination {
        let anchor = Self.everything.randomElement(using: &random)!
        return [
            .index(Int.random(in: 0..<11, using: &random)), .before(anchor), .after(anchor), .first, .last,
        ].randomElement(using: &random)!
    }

    private func operation(_ random: inout SplitMix64) -> Operation {
        let id = Self.everything.randomElement(using: &random)!
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: return .move(id, destination(&random))
        case 4: return .move(Array(Self.everything.shuffled(using: &random).prefix(3)), destination(&random))
        case 5: return .move(from: Int.random(in: 0..<9, using: &random), destination(&random))
        case 6: return .add(id, destination(&random))
        case 7: return .add(id)
        default: return .remove(id)
        }
    }

    /// Up to three operations that would do on `stored`.
    private func request(on stored: [FunctionID], _ random: inout SplitMix64) -> [Operation] {
        var author = layout(stored)
        return (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in
            for _ in 0..<20 {
                let operation = operation(&random)
                if (try? author.apply([operation])) != nil { return operation }
            }
            return nil
        }
    }

    @Test(arguments: UInt64(0)..<150)
    func requestsOfManyDevicesLoseDoubleAndBringBackNothing(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var comparison = Comparison()
        var versions = [ids("a b z c d")]
        for step in 0..<20 {
            let base = versions[Int.random(in: max(0, versions.count - 4)..<versions.count, using: &random)]
            let operations = request(on: base, &random)
            let now = layout(versions.last!)
            let input = "seed \(seed), step \(step), base [\(text(base))], now [\(text(versions.last!))]: \(operations)"

            let result = now.rebased(operations, base)
            let expected = ReferenceRebase.apply(operations, from: base, onto: now.favorites, by: Self.model)
            comparison.note(difference(result, from: expected), input)
            let again = layout(base).rebased(operations, base)
            comparison.equal(again, layout(base).outcome(of: operations), "without a change: \(input)")

            guard case .success(let done) = result else { continue }
            let next = layout(done.list)
            comparison.equal(next.favorites, done.list, "healed already: \(input)")
            comparison.equal(done.outcomes.map(\.operation), operations.map(kind), "an outcome for each: \(input)")
            checkMembers(from: now.favorites, to: done.list, operations, input, &comparison)
            let stored = next.stored(over: versions.last!)
            comparison.equal(stored.count { $0 == "z" }, 1, "the hidden item once: \(input)")
            versions.append(stored)
        }
        comparison.finish(atLeast: 40)
    }

    private func checkMembers(
        from list: [FunctionID], to result: [FunctionID], _ operations: [Operation], _ input: String,
        _ comparison: inout Comparison
    ) {
        let added = operations.compactMap { if case .add(let id, _) = $0 { id } else { nil } }
        let removed = operations.compactMap { if case .remove(let id) = $0 { id } else { nil } }
        comparison.equal(Set(result).count, result.count, "nothing twice: \(input)")
        let lost = list.filter { !result.contains($0) && !removed.contains($0) }
        comparison.equal(lost, [], "lost: \(input)")
        let broughtBack = result.filter { !list.contains($0) && !added.contains($0) }
        comparison.equal(broughtBack, [], "brought back: \(input)")
    }

    private func kind(of operation: Operation) -> Outcome.Kind {
        switch operation {
        case .move: .move
        case .add: .add
        case .remove: .remove
        }
    }

    /// A list that operations lead to can be sent as a whole as well, plainly or made on the version before.
    @Test(arguments: UInt64(0)..<100)
    func everyListThatCanBeReachedCanBeSentAsAWhole(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var comparison = Comparison()
        var stored = ids("a b z c d")
        for step in 0..<20 {
            let before = layout(stored)
            var after = before
            _ = try? after.apply(request(on: stored, &random))
            let wanted = after.favorites
            let input = "seed \(seed), step \(step): [\(text(before.favorites))] to [\(text(wanted))]"
            comparison.equal(
                before.trying { layout throws(Refusal) in try layout.replace(with: wanted) }, .success(wanted), input)
            var rebased = before
            _ = try? Rebase.apply(wanted, madeOn: stored, to: &rebased)
            comparison.equal(rebased.favorites, wanted, "rebased: \(input)")
            stored = after.stored(over: stored)
        }
        comparison.finish(atLeast: 40)
    }

    @Test(arguments: UInt64(0)..<100)
    func wholeListsOfManyDevicesLoseDoubleAndBringBackNothing(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var comparison = Comparison()
        for step in 0..<10 {
            let base = ids("a b c d e")
            var (mine, theirs) = (layout(base), layout(base))
            _ = try? mine.apply(request(on: base, &random))
            _ = try? theirs.apply(request(on: base, &random))
            let input = "seed \(seed), step \(step): [\(text(mine.favorites))] onto [\(text(theirs.favorites))]"
            var result = theirs
            _ = try Rebase.apply(mine.favorites, madeOn: base, to: &result)
            let healed = layout(base).favorites
            let removed = healed.filter { !mine.contains($0) }
            let kept = theirs.favorites.filter { !removed.contains($0) }
            let added = mine.favorites.filter { !healed.contains($0) && !theirs.contains($0) }
            comparison.equal(Set(result.favorites), Set(kept + added), input)
            comparison.equal(result.favorites.count, kept.count + added.count, "nothing twice: \(input)")
            comparison.equal(layout(result.favorites).favorites, result.favorites, "pins in place: \(input)")
        }
        comparison.finish(atLeast: 30)
    }
}
