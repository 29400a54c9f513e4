import LayoutApplication
import LayoutModel

/// Made-up users with layouts that people might have: the same ones at every start.
struct DemoUsers: Sendable {
    private let layouts: LayoutService
    private let catalog: Catalog

    init(_ layouts: LayoutService, _ catalog: Catalog) {
        self.layouts = layouts
        self.catalog = catalog
    }

    /// How many changes are under way at once: enough to share commits.
    private static let width = 64

    /// Makes `user-1` … `user-N`. Each starts from the defaults and drops, adds and moves a few functions.
    func create(_ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= Self.width { try await group.next() }
                group.addTask { try await create(number: number + 1) }
            }
            try await group.waitForAll()
        }
    }

    private func create(number: Int) async throws {
        guard let user = UserID("user-\(number)") else { return }
        let client = Client(user: user)
        var random = Random(state: UInt64(number))
        var layout = Layout(healing: nil, catalog: catalog, client: client)
        for _ in 0..<(2 + random.below(6)) { step(&layout, &random) }
        var change = ChangeRequest(client: client, command: .replace(layout.favorites, madeOn: nil))
        change.origin = "demo"
        _ = try await layouts.apply(change)
    }

    /// One change of mind. What the rules refuse, this user leaves as it is.
    private func step(_ layout: inout Layout, _ random: inout Random) {
        let favorites = layout.favorites
        switch random.below(4) {
        case 0: try? layout.remove(favorites[random.below(favorites.count)])
        case 1: try? layout.move([favorites[random.below(favorites.count)]], to: .index(random.below(favorites.count)))
        default: try? layout.add(catalog.functions[random.below(catalog.functions.count)].id)
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
