import LayoutApplication
import LayoutModel
import LayoutTesting
import Testing

extension StoreConformance {
    @Suite struct Erasure {
        @Test(arguments: Backend.allCases) func nothingIsLeft(backend: Backend) async throws {
            try await backend.withStore { store in
                for user in ["u1", "u2"] as [UserID] {
                    for _ in 1...3 { try await store.put(["a"], of: user) }
                    try await store.record("s", "k", at: 1, of: user)
                }
                #expect(try await store.erase("u1"))
                #expect(try await store.layout(of: "u1").layout == .never)
                #expect(store.layoutAtHand(of: "u1")?.layout ?? .never == .never)
                #expect(try await store.revisions(of: "u1", below: nil, limit: 10) == [])
                #expect(try await store.revision(3, of: "u1") == nil)
                #expect(try await store.recordedRequests(of: "u1") == [])
                #expect(try await store.list(of: "u1", at: 3) == .expired(oldest: nil))
                #expect(try await store.layouts(after: nil, limit: 10).map(\.user) == ["u2"])

                #expect(try await store.layout(of: "u2").layout.version == 3, "others are not touched")
                #expect(try await store.revisions(of: "u2", below: nil, limit: 10).count == 3)
                #expect(try await store.recordedRequests(of: "u2").count == 1)
            }
        }

        @Test(arguments: Backend.allCases) func whatIsToStayStays(backend: Backend) async throws {
            try await backend.withStore { store in
                let stored = try await store.put(["a"], locked: true, of: "u1")
                try await store.record("s", "k", at: 1, of: "u1")
                for (user, expected) in [("u1", stored), ("new", .never)] as [(UserID, StoredLayout)] {
                    await #expect(throws: ToStay(layout: expected)) {
                        try await store.erase(user) { throw ToStay(layout: $0) }
                    }
                }
                #expect(try await store.layout(of: "u1").layout == stored)
                #expect(try await store.revisions(of: "u1", below: nil, limit: 10).count == 1)
                #expect(try await store.recordedRequests(of: "u1").count == 1)
            }
        }

        private struct ToStay: Error, Equatable { let layout: StoredLayout? }

        @Test(arguments: Backend.allCases) func theirVersionsAreNotUsedAgain(backend: Backend) async throws {
            try await backend.withStore { store in
                for _ in 1...3 { try await store.put(["a"], of: "u1") }
                #expect(try await store.erase("u1"))
                #expect(try await store.put(["b"], of: "u1").version == 4)
                #expect(try await store.put(["b"], of: "u1").version == 5)
                #expect(try await store.list(of: "u1", at: 3) == .expired(oldest: 4))
                #expect(try await store.erase("u1"))
                #expect(try await store.erase("u1") == false)
                #expect(try await store.put(["c"], of: "u1").version == 6)
                #expect(try await store.put(["a"], of: "new").version == 1)
            }
        }

        @Test(arguments: Backend.allCases) func whoHasNothingIsNotErased(backend: Backend) async throws {
            try await backend.withStore { store in
                let isErased = try await store.erase("new")
                #expect(!isErased)
                _ = try await store.layout(of: "read")
                #expect(try await store.erase("read") == false)
            }
        }

        @Test(arguments: Backend.allCases) func recordsOfRequestsAloneAreErased(backend: Backend) async throws {
            try await backend.withStore { store in
                let seen = Seen(by: store)
                try await store.record("s", "k", at: 1)
                #expect(try await store.erase("u1"))
                #expect(try await store.recordedRequests(of: "u1") == [])
                #expect(seen.all.isEmpty, "the layout is as it was")
                #expect(try await store.put(["a"], of: "u1").version == 1)
            }
        }

        /// A request from before is a new one.
        @Test(arguments: Backend.allCases) func anErasedRequestIsNotReplayed(backend: Backend) async throws {
            let request = IdempotentRequest(scope: "s", key: "k", fingerprint: [1], notBefore: 0, now: 1)
            try await backend.withStore { store in
                try await store.record("s", "k", at: 1)
                _ = try await store.erase("u1")
                let settled = try await store.update("u1", request: request) { _ in Decision(change: nil, value: 7) }
                guard case .decided(7) = settled else { return #expect(Bool(false), "replayed") }
            }
        }

        @Test(arguments: Backend.allCases) func itIsToldInItsPlace(backend: Backend) async throws {
            try await backend.withStore { store in
                let seen = Seen(by: store)
                try await store.put(["a"], of: "u1")
                _ = try await store.erase("u1")
                try await store.put(["b"], of: "u1")
                #expect(seen.versions(of: "u1") == [1, 0, 2])
                #expect(seen.all[1].layout == .never)
            }
        }

        @Test(arguments: Backend.allCases) func changesAroundItAreAllBeforeOrAllAfter(backend: Backend) async throws {
            try await backend.withStore { store in
                let seen = Seen(by: store)
                try await withThrowingTaskGroup { group in
                    for number in 0..<100 {
                        group.addTask {
                            if number % 10 == 5 {
                                _ = try await store.erase("u1")
                            } else {
                                try await store.put(["a"], of: "u1")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let versions = seen.versions(of: "u1").filter { $0 > 0 }
                #expect(versions == Array(1...90), "none is used twice, whoever came between")
                let layout = try await store.layout(of: "u1").layout
                #expect(layout.version == seen.versions(of: "u1").last)
                let kept = try await store.revisions(of: "u1", below: nil, limit: 100).map(\.layout.version)
                #expect(kept.first ?? 0 == layout.version)
            }
        }
    }

    @Suite struct Pruning {
        @Test(arguments: Backend.allCases) func whatIsOldGoes(backend: Backend) async throws {
            try await backend.withStore { store in
                for time in [10, 20, 30, 40] as [Timestamp] {
                    _ = try await store.revise("u1", to: ["a"], at: time)
                    _ = try await store.revise("u2", to: ["a"], at: time + 5)
                }
                #expect(try await store.prune(revisionsBefore: 30, requestsBefore: 0) == 4)
                #expect(try await store.keptVersions(of: "u1") == [4, 3])
                #expect(try await store.keptVersions(of: "u2") == [4, 3])
                #expect(try await store.list(of: "u1", at: 2) == .expired(oldest: 3))
                #expect(try await store.prune(revisionsBefore: 30, requestsBefore: 0) == 0)
            }
        }

        @Test(arguments: Backend.allCases) func theNewestStays(backend: Backend) async throws {
            try await backend.withStore { store in
                for _ in 1...3 { try await store.put(["a"], of: "u1") }
                try await store.put(["a"], of: "u2")
                #expect(try await store.prune(revisionsBefore: .max, requestsBefore: .max) == 2)
                #expect(try await store.keptVersions(of: "u1") == [3])
                #expect(try await store.keptVersions(of: "u2") == [1])
                #expect(try await store.layout(of: "u1").layout.version == 3)
                #expect(try await store.put(["b"], of: "u1").version == 4)
                #expect(try await store.keptVersions(of: "u1") == [4, 3])
            }
        }

        /// The clock was set back between the second and the third.
        @Test(arguments: Backend.allCases) func aHistoryGetsNoHoles(backend: Backend) async throws {
            try await backend.withStore { store in
                for time in [10, 50, 20, 60] as [Timestamp] { _ = try await store.revise("u1", to: ["a"], at: time) }
                #expect(try await store.prune(revisionsBefore: 40, requestsBefore: 0) == 1)
                #expect(try await store.keptVersions(of: "u1") == [4, 3, 2])
                #expect(try await store.prune(revisionsBefore: 55, requestsBefore: 0) == 2)
                #expect(try await store.keptVersions(of: "u1") == [4])
            }
        }

        @Test(arguments: Backend.allCases) func oldRequestsGo(backend: Backend) async throws {
            try await backend.withStore { store in
                for number in 1...5 { try await store.record("s", "k\(number)", at: Timestamp(number)) }
                #expect(try await store.prune(revisionsBefore: 0, requestsBefore: 4) == 3)
                #expect(try await store.recordedRequests(of: "u1").map(\.key) == ["k4", "k5"])
                #expect(try await store.prune(revisionsBefore: 0, requestsBefore: 4) == 0)
            }
        }

        /// More than one go takes, while others write.
        @Test(arguments: Backend.allCases) func manyGoWhileOthersWrite(backend: Backend) async throws {
            try await backend.withStore { store in
                for round in 1...6 {
                    try await withThrowingTaskGroup { group in
                        for number in 0..<300 {
                            group.addTask {
                                let user = UserID("u\(number)")!
                                _ = try await store.revise(user, to: ["a"], at: Timestamp(round))
                                try await store.record("s", "k\(round)", at: Timestamp(round), of: user)
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                async let pruned = store.prune(revisionsBefore: 5, requestsBefore: 5)
                try await withThrowingTaskGroup { group in
                    for number in 0..<300 {
                        group.addTask { _ = try await store.revise(UserID("u\(number)")!, to: ["b"], at: 7) }
                    }
                    try await group.waitForAll()
                }
                #expect(try await pruned == 300 * 4 + 300 * 4)
                for number in [0, 1, 150, 299] {
                    let user = UserID("u\(number)")!
                    #expect(try await store.keptVersions(of: user) == [7, 6, 5])
                    #expect(try await store.recordedRequests(of: user).map(\.recordedAt) == [5, 6])
                }
            }
        }
    }
}

extension LayoutStore {
    fileprivate func keptVersions(of user: UserID) async throws -> [Version] {
        try await revisions(of: user, below: nil, limit: 100).map(\.layout.version)
    }
}
