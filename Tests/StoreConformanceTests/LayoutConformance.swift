import LayoutApplication
import LayoutModel
import LayoutTesting
import Testing

extension StoreConformance {
    @Suite struct Layouts {
        @Test(arguments: Backend.allCases) func aUserWhoWasNeverStoredFollowsTheDefaults(backend: Backend) async throws
        {
            try await backend.withStore { store in
                let first = try await store.layout(of: "u1")
                #expect(first.layout == .never)
                #expect(try await store.layout(of: "u1").layout == .never)
            }
        }

        @Test(arguments: Backend.allCases) func whatWasWrittenIsRead(backend: Backend) async throws {
            try await backend.withStore { store in
                let written = try await store.put(["a", "b"], locked: true, of: "u1")
                #expect(written == StoredLayout(favorites: ["a", "b"], version: 1, locked: true, updatedAt: 1_000))
                #expect(try await store.layout(of: "u1").layout == written)
            }
        }

        @Test(arguments: Backend.allCases) func eachChangeIsOneVersion(backend: Backend) async throws {
            try await backend.withStore { store in
                for version in 1...5 as ClosedRange<Version> {
                    let written = try await store.put(["a"], of: "u1")
                    #expect(written.version == version)
                }
                #expect(try await store.layout(of: "u1").layout.version == 5)
            }
        }

        /// Case 8: changing one list changed another.
        @Test(arguments: Backend.allCases) func onlyTheAddressedLayoutChanges(backend: Backend) async throws {
            try await backend.withStore { store in
                try await store.put(["a", "b"], of: "u1")
                try await store.put(["a", "b"], of: "u2")
                try await store.put(["b", "a"], of: "u1")
                #expect(try await store.layout(of: "u1").layout.favorites == ["b", "a"])
                #expect(try await store.layout(of: "u2").layout.favorites == ["a", "b"])
                #expect(try await store.layout(of: "u2").layout.version == 1)
            }
        }

        @Test(arguments: Backend.allCases) func anEmptyListIsNotTheDefaults(backend: Backend) async throws {
            try await backend.withStore { store in
                try await store.put([], of: "empty")
                try await store.put(["a"], of: "reset")
                try await store.put(nil, of: "reset")
                #expect(try await store.layout(of: "empty").layout.favorites == [])
                #expect(try await store.layout(of: "reset").layout.favorites == nil)
                #expect(try await store.layout(of: "reset").layout.version == 2)
            }
        }

        @Test(arguments: Backend.allCases) func longListsAndLongIDsComeBackWhole(backend: Backend) async throws {
            let favorites = (0..<500).map { FunctionID(String(repeating: "x", count: 60) + "\($0)")! }
            try await backend.withStore { store in
                try await store.put(favorites, of: "u1")
                #expect(try await store.layout(of: "u1").layout.favorites == favorites)
            }
        }

        @Test(arguments: Backend.allCases) func whatARuleThrowsIsPassedOnAndNothingChanges(
            backend: Backend
        )
            async throws
        {
            try await backend.withStore { store in
                let before = try await store.put(["a"], of: "u1")
                await #expect(throws: Refused.self) {
                    try await store.update("u1", request: nil) { _ -> Decision<Int> in throw Refused() }
                }
                #expect(try await store.layout(of: "u1").layout == before)
                #expect(try await store.put(["b"], of: "u1").version == 2)
            }
        }

        @Test(arguments: Backend.allCases) func aDecisionWithoutAChangeLeavesEverything(backend: Backend) async throws {
            try await backend.withStore { store in
                let before = try await store.put(["a"], of: "u1")
                let settled = try await store.update("u1", request: nil) { Decision(change: nil, value: $0.current) }
                guard case .decided(let seen) = settled else { return #expect(Bool(false), "nothing to replay") }
                #expect(seen == before)
                #expect(try await store.layout(of: "u1").layout == before)
            }
        }

        @Test(arguments: Backend.allCases) func aVersionThatDoesNotGrowIsRefused(backend: Backend) async throws {
            try await backend.withStore { store in
                let before = try await store.put(["a"], of: "u1")
                await #expect(throws: (any Error).self) {
                    try await store.update("u1", request: nil) { transaction in
                        var change = transaction.change(to: ["b"])
                        change.layout.version = before.version
                        return Decision(change: change, value: 0)
                    }
                }
                #expect(try await store.layout(of: "u1").layout == before)
            }
        }
    }

    @Suite struct Users {
        /// Swift's `String ==` takes these for one.
        @Test(arguments: Backend.allCases) func spellingsInNFCAndNFDAreTwoUsers(backend: Backend) async throws {
            try await backend.withStore { store in
                let (composed, decomposed): (UserID, UserID) = ("caf\u{E9}", "cafe\u{301}")
                try await store.put(["a"], of: composed)
                #expect(try await store.layout(of: decomposed).layout == .never)
                try await store.put(["b"], of: decomposed)
                #expect(try await store.layout(of: composed).layout.favorites == ["a"])
                #expect(try await store.layout(of: decomposed).layout.favorites == ["b"])
            }
        }

        @Test(arguments: Backend.allCases) func idsOfAnyLettersAreKeptApart(backend: Backend) async throws {
            let users: [UserID] = [
                "u", "U", "u ", " u", "u,v", "用户", "🙂", "u'); DROP TABLE layouts; --", "%", "_", "NULL", "1", "01",
                "1.0",
                UserID(String(repeating: "x", count: 128))!, UserID(String(repeating: "x", count: 127))!,
                UserID(String(repeating: "é", count: 64))!,
            ]
            try await backend.withStore { store in
                for (index, user) in users.enumerated() { try await store.put([FunctionID("f\(index)")!], of: user) }
                for (index, user) in users.enumerated() {
                    let layout = try await store.layout(of: user).layout
                    #expect(layout.favorites == [FunctionID("f\(index)")!])
                    #expect(layout.version == 1)
                }
            }
        }
    }
}
