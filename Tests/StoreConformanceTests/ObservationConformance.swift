import LayoutApplication
import LayoutModel
import LayoutTesting
import Locking
import Testing

extension StoreConformance {
    @Suite struct Observation {
        @Test(arguments: Backend.allCases) func eachChangeIsToldOnceInTheOrderOfVersions(backend: Backend) async throws
        {
            try await backend.withStore { store in
                let seen = Seen(by: store)
                try await withThrowingTaskGroup { group in
                    for number in 0..<200 {
                        group.addTask { try await store.put(["a"], of: UserID("u\(number % 8)")!) }
                    }
                    try await group.waitForAll()
                }
                for number in 0..<8 {
                    #expect(seen.versions(of: UserID("u\(number)")!) == Array(1...25))
                }
            }
        }

        @Test(arguments: Backend.allCases) func aChangeIsToldBeforeItIsAnswered(backend: Backend) async throws {
            try await backend.withStore { store in
                let seen = Seen(by: store)
                try await withThrowingTaskGroup { group in
                    for number in 0..<64 {
                        let user = UserID("u\(number)")!
                        group.addTask {
                            for _ in 0..<5 {
                                let version = try await store.put(["a"], of: user).version
                                #expect(seen.versions(of: user).last == version)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }

        /// What an event tells can be read: whoever asks after it gets that version or a later one.
        @Test(arguments: Backend.allCases) func whatIsToldCanBeRead(backend: Backend) async throws {
            try await backend.withStore { store in
                let (changes, teller) = AsyncStream.makeStream(of: ChangeFeed.Change.self)
                store.observeChanges { for change in $0 { teller.yield(change) } }
                async let stale = changes.reduce(0) { count, change in
                    let version = store.layoutAtHand(of: change.user)?.layout.version ?? .max
                    return version < change.layout.version ? count + 1 : count
                }
                _ = try await store.layout(of: "u1")
                for _ in 0..<50 { try await store.put(["a"], of: "u1") }
                teller.finish()
                #expect(await stale == 0)
            }
        }

        @Test(arguments: Backend.allCases) func aChangeIsToldWithItsLayoutAndOrigin(backend: Backend) async throws {
            try await backend.withStore { store in
                let seen = Seen(by: store)
                let layout = try await store.put(["a", "b"], locked: true, of: "u1")
                #expect(seen.all.map(\.user) == ["u1"])
                #expect(seen.all.map(\.layout) == [layout])
                #expect(seen.all.map(\.origin) == ["test"])
            }
        }

        @Test(arguments: Backend.allCases) func nothingIsToldOfWhatChangesNothing(backend: Backend) async throws {
            try await backend.withStore { store in
                let seen = Seen(by: store)
                _ = try await store.update("u1", request: nil) { _ in Decision(change: nil, value: ()) }
                await #expect(throws: Refused.self) {
                    try await store.update("u1", request: nil) { _ -> Decision<Int> in throw Refused() }
                }
                await #expect(throws: (any Error).self) {
                    try await store.update("u1", request: nil) { transaction in
                        var change = transaction.change(to: ["a"])
                        change.layout.version = 0
                        return Decision(change: change, value: ())
                    }
                }
                let request = IdempotentRequest(scope: "s", key: "k", fingerprint: [1], notBefore: 0, now: 1)
                for _ in 0..<3 {
                    _ = try await store.update("u2", request: request) { transaction in
                        let answer = RecordedAnswer(status: 200, entityTag: "", content: [])
                        return Decision(change: transaction.change(to: ["a"]), value: (), answer: answer)
                    }
                }
                _ = try await store.layout(of: "u1")
                _ = try await store.erase("nobody")
                _ = try await store.prune(revisionsBefore: 0, requestsBefore: 0)
                #expect(seen.all.map(\.user) == ["u2"], "and a repeat is told once")
            }
        }
    }
}

/// What a store told of its changes, in its order.
struct Seen: Sendable {
    private let changes = Changes()

    init(by store: any LayoutStore) { store.observeChanges { [changes] in changes.add($0) } }

    var all: [ChangeFeed.Change] { changes.all }
    func versions(of user: UserID) -> [Version] { all.filter { $0.user == user }.map(\.layout.version) }

    private final class Changes: Sendable {
        private let seen = Mutex<[ChangeFeed.Change]>([])
        var all: [ChangeFeed.Change] { seen.withLock { $0 } }
        func add(_ changes: [ChangeFeed.Change]) { seen.withLock { $0 += changes } }
    }
}
