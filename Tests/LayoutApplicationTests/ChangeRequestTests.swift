import LayoutApplication
import LayoutModel
import LayoutTesting
import Testing

/// Changes as the service decides them inside the store's transaction.
@Suite struct ChangeRequestTests {
    private let world: World

    init() async throws {
        world = try await World(catalog: "a b c d e | limit 4 | defaults a b")
        try await world.store("a b c")
    }

    private func change(_ command: LayoutCommand, _ precondition: Precondition = .none) -> ChangeRequest {
        ChangeRequest(client: Client(user: world.user), command: command, precondition: precondition)
    }

    private func apply(_ change: ChangeRequest) async throws -> ChangeResult {
        guard case .decided(let result) = try await world.layouts.apply(change) else { throw Unexpected() }
        return result
    }

    private struct Unexpected: Error {}

    /// Why `change` is refused, and the version that came with it.
    private func refusal(_ change: ChangeRequest) async throws -> String {
        do {
            _ = try await world.layouts.apply(change)
            return "none"
        } catch let refused as ChangeRefused {
            let reason =
                switch refused.reason {
                case .precondition(let failure): "\(failure)"
                case .rejected(let rejection):
                    "\(rejection.refusal) \(rejection.operationIndex.map(String.init) ?? "-")"
                }
            return "\(reason) at \(refused.current.stored.version)"
        }
    }

    private let match1 = Precondition(match: .tags([.init(opaque: "1")]))
    private let required = Precondition(isRequired: true)
    private let match9 = Precondition(match: .tags([.init(opaque: "9")]))

    @Test func aChangeIsTheNextVersion() async throws {
        let result = try await apply(change(.operations([.remove("b")], madeOn: nil)))
        #expect(result.changed)
        #expect(result.previous == ["a", "b", "c"])
        #expect(result.view.layout.favorites == ["a", "c"])
        #expect(result.view.stored == StoredLayout(favorites: ["a", "c"], version: 2, updatedAt: world.now))
        #expect(try await world.layouts.layout(of: world.user).layout == result.view.stored)
    }

    @Test func aNoOpStoresNothingEvenWhereHealingHadDroppedSomething() async throws {
        try await world.store("a gone b")
        let result = try await apply(change(.operations([.remove("c")], madeOn: nil)))
        #expect(!result.changed)
        #expect(result.view.stored.favorites == ["a", "gone", "b"])
        #expect(try await world.layouts.layout(of: world.user).layout.version == 2)
        let replaced = try await apply(change(.replace(["a", "b"], madeOn: nil), Precondition(match: .any)))
        #expect(!replaced.changed)
        let moved = try await apply(change(.operations([.move(.item("b"), to: Placement(.first))], madeOn: nil)))
        #expect(moved.view.stored.favorites == ["b", "a"])
    }

    @Test func whoFollowsTheDefaultsGoesOnFollowingThem() async throws {
        let result = try await apply(
            ChangeRequest(client: Client(user: "new"), command: .operations([.add("a", at: nil)], madeOn: nil)))
        #expect(!result.changed)
        #expect(!result.view.stored.customized)
        #expect(result.view.layout.favorites == ["a", "b"])
    }

    @Test func aDryRunDecidesAndStoresNothing() async throws {
        let result = try await apply(
            ChangeRequest(
                client: Client(user: world.user), command: .reset, precondition: match1, validateOnly: true))
        #expect(result.changed)
        #expect(result.view.stored.version == 2)
        #expect(try await world.layouts.layout(of: world.user).layout.version == 1)
        let real = try await apply(change(.reset, match1))
        #expect(real.view.stored == result.view.stored)
    }

    @Test func conditionsAreHeldInTheirOrder() async throws {
        let unknown = LayoutCommand.operations([.add("zz", at: nil)], madeOn: nil)
        let slot = LayoutCommand.operations([.remove("a"), .move(.slot(0), to: Placement(.last))], madeOn: nil)
        #expect(try await refusal(change(.replace(["a"], madeOn: nil), required)) == "required at 1")
        #expect(try await refusal(change(.reset, required)) == "required at 1")
        #expect(try await refusal(change(.reset, match9)) == "failed at 1")
        #expect(try await refusal(change(unknown, match9)) == "failed at 1")
        #expect(try await refusal(change(slot)) == "unknownList 1 at 1")
        #expect(try await refusal(change(slot, match1)) == "none")
        try await world.store("a b c", locked: true)
        #expect(try await refusal(change(unknown, match9)) == "failed at 3")
        #expect(try await refusal(change(.reset, required)) == "required at 3")
        #expect(try await refusal(change(slot)) == "unknownList 1 at 3")
        #expect(try await refusal(change(unknown)) == "layoutLocked - at 3")
        #expect(try await refusal(change(.replace(["a", "b", "c"], madeOn: nil), match9)) == "layoutLocked - at 3")
    }

    @Test func aFailedIfMatchIsExcusedWhereTheWishIsFulfilled() async throws {
        #expect(!(try await apply(change(.replace(["a", "b", "c"], madeOn: nil), match9))).changed)
        let list = LayoutCommand.replace(["a", "b", "c"], madeOn: nil)
        #expect(try await refusal(change(list, Precondition(match: match9.match, noneMatch: .any))) == "failed at 1")
        #expect(try await refusal(change(list, Precondition(noneMatch: .any))) == "exists at 1")
    }

    @Test func aBaseThatIsNotKeptIsRefused() async throws {
        let world = try await World(catalog: "a b c | limit 4 | defaults", store: InMemoryLayoutStore(historyKept: 2))
        for list in ["a", "a b", "a b c"] { try await world.store(list) }
        for (base, code) in [
            (Version(1), "expired"), (2, "rebased"), (3, "current"), (4, "expired"), (.max, "expired"),
        ] {
            let change = ChangeRequest(
                client: Client(user: world.user), command: .replace(["a", "b", "c"], madeOn: base), validateOnly: true)
            do {
                guard case .decided(let result) = try await world.layouts.apply(change) else { throw Unexpected() }
                #expect((result.rebasedFrom == nil ? "current" : "rebased") == code)
            } catch let refused as ChangeRefused {
                guard case .rejected(let rejection) = refused.reason else { throw refused }
                #expect(code == "expired")
                #expect(rejection.refusal == .baseExpired(base, as: .base, oldest: 2, newest: 3))
            }
        }
    }

    @Test func versionsCountFromTheFloor() async throws {
        let world = try await World(
            catalog: "a b | limit 4 | defaults", store: InMemoryLayoutStore(versionFloor: 1_000))
        let change = ChangeRequest(
            client: Client(user: world.user), command: .operations([.add("a", at: nil)], madeOn: nil))
        guard case .decided(let result) = try await world.layouts.apply(change) else { throw Unexpected() }
        #expect(result.view.stored.version == 1_001)
    }

    @Test func anAnswerIsKeptForARepeatUnlessNothingWasToHappen() async throws {
        func repeated(_ key: String, validateOnly: Bool, fingerprint: [UInt8] = [1]) -> ChangeRequest {
            ChangeRequest(
                client: Client(user: world.user), command: .operations([.remove("b")], madeOn: nil),
                validateOnly: validateOnly,
                repeatable: ChangeRequest.Repeatable(
                    IdempotentRequest(scope: "s", key: key, fingerprint: fingerprint, notBefore: 0, now: world.now)
                ) { RecordedAnswer(status: 200, entityTag: $0.view.tag.text, content: [7]) })
        }
        for (key, validateOnly) in [("dry", true), ("dry", true), ("real", false)] {
            guard case .decided = try await world.layouts.apply(repeated(key, validateOnly: validateOnly)) else {
                throw Unexpected()
            }
        }
        guard case .replayed(let record) = try await world.layouts.apply(repeated("real", validateOnly: false)) else {
            throw Unexpected()
        }
        #expect(record == RecordedAnswer(status: 200, entityTag: "2", content: [7]))
        let other = repeated("real", validateOnly: false, fingerprint: [2])
        await #expect(throws: IdempotencyKeyReused()) { try await world.layouts.apply(other) }
    }
}
