import LayoutApplication
import LayoutModel

/// Users with layouts that people might have, for the demo and for load tests: the same ones for the same seed.
struct MadeUpUsers: Sendable {
    let store: any LayoutStore
    let catalog: Catalog
    var seed: UInt64 = 0
    /// What the history calls their maker.
    let origin: String

    /// How many changes are under way at once: enough for one transaction to wait full while another is written.
    private static let width = 1_024

    /// Makes `user-1` … `user-N`. Each starts from the defaults and drops, adds and moves a few functions; who is there
    /// already gets the list as a new version.
    ///
    /// - Parameter progress: told how many there are, every now and then.
    func create(_ count: Int, progress: (Int) -> Void = { _ in }) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for done in 0..<count {
                if done >= Self.width {
                    try await group.next()
                    if done % Self.width == 0 { progress(done - Self.width) }
                }
                group.addTask { try await create(number: done + 1) }
            }
            try await group.waitForAll()
        }
        progress(count)
    }

    /// Past the service: nothing here can be refused, and healing every list again would double the time.
    private func create(number: Int) async throws {
        guard let user = UserID("user-\(number)") else { return }
        let (list, now, origin) = (favorites(of: user, number: number), Machine.now(), origin)
        _ = try await store.update(user, request: nil) { transaction in
            let current = transaction.current
            let layout = StoredLayout(
                favorites: list, version: current.nextVersion(floor: transaction.versionFloor), locked: current.locked,
                updatedAt: now)
            return Decision(change: LayoutChange(layout: layout, kind: .import, origin: origin), value: ())
        }
    }

    private func favorites(of user: UserID, number: Int) -> [FunctionID] {
        var random = Random(state: seed &* 0x9e37_79b9_7f4a_7c15 &+ UInt64(number))
        var layout = Layout(healing: nil, catalog: catalog, client: Client(user: user))
        for _ in 0..<(2 + random.below(6)) { step(&layout, &random) }
        return layout.stored(over: nil)
    }

    /// One change of mind. What the rules refuse, this user leaves as it is.
    private func step(_ layout: inout Layout, _ random: inout Random) {
        let favorites = layout.favorites
        switch random.below(4) {
        case 0 where !favorites.isEmpty: try? layout.remove(favorites[random.below(favorites.count)])
        case 1 where !favorites.isEmpty:
            try? layout.move([favorites[random.below(favorites.count)]], to: .index(random.below(favorites.count)))
        default:
            if !catalog.functions.isEmpty {
                try? layout.add(catalog.functions[random.below(catalog.functions.count)].id)
            }
        }
    }
}

/// SplitMix64: small, and the same everywhere.
private struct Random {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        guard bound > 0 else { return 0 }
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }
}
