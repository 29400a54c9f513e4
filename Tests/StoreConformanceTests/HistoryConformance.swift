import LayoutApplication
import LayoutModel
import LayoutTesting
import Testing

extension StoreConformance {
    @Suite struct History {
        @Test(arguments: Backend.allCases) func pastListsComeBackAsTheyWere(backend: Backend) async throws {
            try await backend.withStore { store in
                try await store.put(["a", "b"], of: "u1")
                try await store.put([], of: "u1")
                try await store.put(nil, of: "u1")
                try await store.put(["b"], of: "u1")
                #expect(try await store.list(of: "u1", at: 0) == .kept(nil))
                #expect(try await store.list(of: "u1", at: 1) == .kept(["a", "b"]))
                #expect(try await store.list(of: "u1", at: 2) == .kept([]))
                #expect(try await store.list(of: "u1", at: 3) == .kept(nil))
                #expect(try await store.list(of: "u1", at: 4) == .kept(["b"]))
            }
        }

        @Test(arguments: Backend.allCases) func aVersionThatWasNeverHandedOutIsExpired(backend: Backend) async throws {
            try await backend.withStore { store in
                #expect(try await store.list(of: "new", at: 1) == .expired(oldest: nil))
                try await store.put(["a"], of: "u1")
                #expect(try await store.list(of: "u1", at: 2) == .expired(oldest: 1))
                #expect(try await store.list(of: "u1", at: -1) == .expired(oldest: 1))
            }
        }

        @Test(arguments: Backend.allCases) func theNewestVersionsAreKept(backend: Backend) async throws {
            try await backend.withStore(historyKept: 3) { store in
                for number in 1...7 { try await store.put([FunctionID("f\(number)")!], of: "u1") }
                #expect(try await store.list(of: "u1", at: 4) == .expired(oldest: 5))
                for number in 5...7 {
                    #expect(try await store.list(of: "u1", at: Version(number)) == .kept([FunctionID("f\(number)")!]))
                }
                #expect(try await store.list(of: "u1", at: 0) == .kept(nil), "what nobody stored does not expire")
            }
        }

        /// As an import brings it from elsewhere.
        @Test(arguments: Backend.allCases) func aVersionWithoutAListIsKept(backend: Backend) async throws {
            try await backend.withStore { store in
                let layout = StoredLayout(favorites: nil, version: 2, updatedAt: 5)
                _ = try await store.update("u1", request: nil) { _ in
                    Decision(change: LayoutChange(layout: layout, kind: .import), value: ())
                }
                #expect(try await store.layout(of: "u1").layout == layout)
                #expect(try await store.layouts(after: nil, limit: 9).map(\.layout) == [layout])
                #expect(try await store.list(of: "u1", at: 2) == .kept(nil))
                #expect(try await store.put(["a"], of: "u1").version == 3)
            }
        }

        /// After a restore the versions go on from a floor.
        @Test(arguments: Backend.allCases) func aGapInTheVersionsCostsNoHistory(backend: Backend) async throws {
            try await backend.withStore(historyKept: 3) { store in
                try await store.put(["a"], of: "u1")
                try await store.put(["b"], of: "u1")
                _ = try await store.update("u1", request: nil) { transaction in
                    var change = transaction.change(to: ["c"])
                    change.layout.version = 1_000
                    return Decision(change: change, value: ())
                }
                #expect(try await store.list(of: "u1", at: 1) == .kept(["a"]))
                #expect(try await store.list(of: "u1", at: 999) == .expired(oldest: 1))
                #expect(try await store.put(["d"], of: "u1").version == 1_001)
                #expect(try await store.list(of: "u1", at: 1) == .expired(oldest: 2))
                #expect(try await store.list(of: "u1", at: 2) == .kept(["b"]))
            }
        }

        @Test(arguments: Backend.allCases) func anotherUsersHistoryIsNotTouched(backend: Backend) async throws {
            try await backend.withStore(historyKept: 1) { store in
                try await store.put(["a"], of: "u1")
                for _ in 1...3 { try await store.put(["b"], of: "u2") }
                #expect(try await store.list(of: "u1", at: 1) == .kept(["a"]))
                #expect(try await store.list(of: "u2", at: 2) == .expired(oldest: 3))
            }
        }

        @Test(arguments: Backend.allCases) func aDecisionSeesTheHistoryItAddsTo(backend: Backend) async throws {
            try await backend.withStore { store in
                try await store.put(["a"], of: "u1")
                try await store.put(["b"], of: "u1")
                _ = try await store.update("u1", request: nil) { transaction in
                    guard case .kept(let list) = try transaction.list(at: 1) else { throw Refused() }
                    return Decision(change: transaction.change(to: list, kind: .revert), value: ())
                }
                #expect(try await store.layout(of: "u1").layout.favorites == ["a"])
            }
        }
    }
}
