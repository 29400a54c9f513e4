import LayoutApplication
import LayoutModel
import LayoutTesting
import Testing

extension StoreConformance {
    @Suite struct Revisions {
        @Test(arguments: Backend.allCases) func aRevisionSaysWhatWasMadeHowAndByWhom(backend: Backend) async throws {
            try await backend.withStore { store in
                let kinds = LayoutChange.Kind.allCases
                var made: [Revision] = []
                for (number, kind) in kinds.enumerated() {
                    let list: [FunctionID]? = number == 1 ? nil : number == 2 ? [] : ["a", "b"]
                    made.append(
                        try await store.revise(
                            "u1", to: list, kind: kind, origin: "ios/10.3.\(number) (设备)", actor: "alice",
                            at: Timestamp(number)))
                }
                #expect(try await store.revisions(of: "u1", below: nil, limit: 100) == made.reversed())
                for revision in made {
                    #expect(try await store.revision(revision.layout.version, of: "u1") == revision)
                }
            }
        }

        @Test(arguments: Backend.allCases) func theyComeNewestFirstInPages(backend: Backend) async throws {
            try await backend.withStore { store in
                for _ in 1...5 { try await store.put(["a"], of: "u1") }
                func versions(below version: Version?, _ limit: Int) async throws -> [Version] {
                    try await store.revisions(of: "u1", below: version, limit: limit).map(\.layout.version)
                }
                #expect(try await versions(below: nil, 2) == [5, 4])
                #expect(try await versions(below: 4, 2) == [3, 2])
                #expect(try await versions(below: 2, 2) == [1])
                #expect(try await versions(below: 1, 2) == [])
                #expect(try await versions(below: 0, 2) == [])
                #expect(try await versions(below: .max, 100) == [5, 4, 3, 2, 1])
                #expect(try await versions(below: nil, 0) == [])
                #expect(try await versions(below: nil, -1) == [])
            }
        }

        @Test(arguments: Backend.allCases) func moreThanAreKeptAreNotThere(backend: Backend) async throws {
            try await backend.withStore(historyKept: 3) { store in
                for _ in 1...7 { try await store.put(["a"], of: "u1") }
                let versions = try await store.revisions(of: "u1", below: nil, limit: 100).map(\.layout.version)
                #expect(versions == [7, 6, 5])
                #expect(try await store.revision(4, of: "u1") == nil)
                #expect(try await store.revision(5, of: "u1")?.layout.version == 5)
            }
        }

        @Test(arguments: Backend.allCases) func whatWasNeverMadeIsNotThere(backend: Backend) async throws {
            try await backend.withStore { store in
                let none = try await store.revisions(of: "new", below: nil, limit: 10)
                #expect(none == [])
                #expect(try await store.revision(1, of: "new") == nil)
                try await store.put(["a"], of: "u1")
                for version in [-1, 0, 2, .max] as [Version] {
                    #expect(try await store.revision(version, of: "u1") == nil)
                }
                #expect(try await store.revisions(of: "u2", below: nil, limit: 10) == [])
            }
        }

        @Test(arguments: Backend.allCases) func recordedRequestsAreListedOldestFirst(backend: Backend) async throws {
            try await backend.withStore { store in
                try await store.record("POST /b", "k2", at: 2_000)
                try await store.record("POST /b", "k1", at: 1_000)
                try await store.record("POST /a", "z", at: 2_000)
                try await store.record("POST /a", "Z", at: 2_000)
                try await store.record("POST /a", "other", at: 1_000, of: "u2")
                let requests = try await store.recordedRequests(of: "u1")
                #expect(requests.map(\.scope) == ["POST /b", "POST /a", "POST /a", "POST /b"])
                #expect(requests.map(\.key) == ["k1", "Z", "z", "k2"], "by bytes where times are equal")
                #expect(requests.map(\.recordedAt) == [1_000, 2_000, 2_000, 2_000])
                #expect(requests.allSatisfy { $0.status == 201 })
                #expect(try await store.recordedRequests(of: "new") == [])
            }
        }
    }
}

extension LayoutStore {
    /// A change with everything that a revision says of it.
    func revise(
        _ user: UserID, to list: [FunctionID]?, kind: LayoutChange.Kind = .operations, origin: String = "",
        actor: String = "", at time: Timestamp
    ) async throws -> Revision {
        let settled = try await update(user, request: nil) { transaction in
            var change = transaction.change(to: list, kind: kind, at: time)
            change.origin = origin
            change.actor = actor
            return Decision(change: change, value: change)
        }
        guard case .decided(let change) = settled else { throw Refused() }
        return Revision(layout: change.layout, kind: kind, origin: origin, actor: actor)
    }

    func record(
        _ scope: String, _ key: String, at time: Timestamp, of user: UserID = "u1"
    ) async throws {
        let request = IdempotentRequest(scope: scope, key: key, fingerprint: [1], notBefore: 0, now: time)
        _ = try await update(user, request: request) { _ in
            Decision(change: nil, value: 0, answer: RecordedAnswer(status: 201, entityTag: "t", content: [1]))
        }
    }
}
