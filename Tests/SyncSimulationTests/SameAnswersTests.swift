import Foundation
import LayoutApplication
import LayoutTesting
import PegboardClient
import Testing

/// What the editor says about a cell is what the server's page says about it, whatever the catalog.
@MainActor @Suite struct SameAnswersTests {
    @Test func theEditorsPageIsTheServersPage() async throws {
        for seed in 0..<120 as Range<UInt64> {
            let server = try await Server(historyKept: 50)
            try await server.publish(World.catalog(seed))
            let client = PegboardClient(
                baseURL: URL(string: "http://simulated")!, user: "u", identity: .init(appVersion: "10.3", device: "d"),
                transport: Network(server: server))
            let queue = try OfflineQueue(client: client, storage: NoQueueStorage())
            try await queue.synchronize()
            let editor = FavoritesEditor(queue: queue)
            try await compare(editor, client, seed)
            var dice = SplitMix64(seed: seed)
            for _ in 0..<3 { try? editor.add("abcdefg".map(String.init)[dice.roll(7)]) }
            if seed % 5 == 0 { try await server.lock("u", true) }
            try await queue.synchronize()
            editor.catchUp()
            try await compare(editor, client, seed)
            try await compareTargets(editor, client, seed)
        }
    }

    private func compare(_ editor: FavoritesEditor, _ client: PegboardClient, _ seed: UInt64) async throws {
        let page = try await client.page()
        #expect(editor.sections.map(\.id) == page.sections.map(\.id))
        #expect(editor.sections.map(\.title) == page.sections.map(\.title))
        for (own, theirs) in zip(editor.sections, page.sections) {
            #expect(own.cells.map(\.function) == theirs.cells.map(\.id), "seed \(seed)")
            for (cell, other) in zip(own.cells, theirs.cells) {
                #expect(cell.badge == other.badge, "seed \(seed), \(cell.function)")
                #expect(cell.canMove == other.canMove ?? false)
                #expect(cell.canRemove == other.canRemove ?? false)
                #expect(cell.refusal?.code == other.refusal?.code)
                #expect(cell.refusal?.params ?? [:] == other.refusal?.params ?? [:])
                #expect(cell.refusal?.message == other.refusal?.title)
            }
        }
    }

    private func compareTargets(_ editor: FavoritesEditor, _ client: PegboardClient, _ seed: UInt64) async throws {
        for (item, cell) in (editor.sections.first?.cells ?? []).enumerated() {
            for proposed in 0..<6 {
                let answer = try await client.targets(of: cell.function, proposed: proposed)
                let path = editor.targetIndexPath(
                    forMoveFrom: IndexPath(indexes: [0, item]), proposed: IndexPath(indexes: [0, proposed]))
                #expect(answer.corrected == path[1], "seed \(seed): \(cell.function) to \(proposed)")
                #expect(answer.canMove == editor.canMoveItem(at: IndexPath(indexes: [0, item])))
            }
        }
    }
}
