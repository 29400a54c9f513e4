import LayoutApplication
import LayoutModel
import LayoutRecords
import LayoutSQLite
import LayoutTesting
import Testing

/// What goes and what stays, on rows that the disk has changed.
@Suite struct RetentionTests {
    private let database = Database()

    /// Erasing is the one thing that a damaged record must not hinder.
    @Test(arguments: [
        "UPDATE layouts SET items = 'x'", "UPDATE layouts SET version = -5", "UPDATE layouts SET version = 1 << 60",
        "DELETE FROM layouts", "UPDATE revisions SET kind = 'x' WHERE version = 1", "UPDATE idempotency SET status = 1",
    ])
    func whatIsDamagedCanBeErased(harm: String) async throws {
        try await database.withStore { store in
            for _ in 1...3 { try await store.put(["a"], of: "u1") }
            let request = IdempotentRequest(scope: "s", key: "k", fingerprint: [1], notBefore: 0, now: 1)
            _ = try await store.update("u1", request: request) { _ in
                Decision(change: nil, value: 0, answer: RecordedAnswer(status: 200, entityTag: "", content: []))
            }
        }
        try database.execute(harm)
        try await database.withStore { store in
            let isErased = try await store.erase("u1")
            #expect(isErased)
            #expect(try await store.layout(of: "u1").layout == .never)
            #expect(try await store.revisions(of: "u1", below: nil, limit: 10) == [])
            #expect(try await store.recordedRequests(of: "u1") == [])
            #expect(try await store.put(["b"], of: "u1").version == 4)
        }
    }

    @Test func anErasedUsersVersionsOutliveTheStore() async throws {
        try await database.withStore { store in
            for _ in 1...3 { try await store.put(["a"], of: "u1") }
            #expect(try await store.erase("u1"))
        }
        try await database.withStore { store in
            let next = try await store.put(["a"], of: "u1")
            #expect(next.version == 4)
        }
        #expect(try database.integer("SELECT count(*) FROM erased") == 1)
    }

    /// All that is kept of an erased user is a number that is no name.
    @Test func nothingInTheFileNamesAnErasedUser() async throws {
        try await database.withStore { store in
            try await store.put(["a"], of: "somebody-to-forget")
            #expect(try await store.erase("somebody-to-forget"))
        }
        for table in ["layouts", "revisions", "idempotency"] {
            #expect(try database.integer("SELECT count(*) FROM \(table)") == 0)
        }
        #expect(try database.text("SELECT group_concat(digest || ':' || version) FROM erased")?.hasSuffix(":1") == true)
    }

    @Test func inOneTransactionAnErasedUserCanComeBack() async throws {
        try await database.withStore { store in
            try await store.put(["a"], of: "u1")
            let versions = await store.together(3) { number -> Version? in
                if number == 1 { return try? await store.erase("u1") ? 0 : -1 }
                return try? await store.put(["b"], of: "u1").version
            }
            #expect(Set(versions.compactMap { $0 }) == [0, 2, 3])
        }
    }

    @Test func aDamagedRowStopsThePageThatHoldsIt() async throws {
        try await database.withStore { store in
            for number in 1...6 { try await store.put(["a"], of: UserID("u\(number)")!) }
        }
        try database.execute("UPDATE layouts SET items = 'b' WHERE user_id = 'u4'")
        try await database.withStore { store in
            let page = try await store.layouts(after: nil, limit: 3)
            #expect(page.count == 3)
            #expect(await fault { try await store.layouts(after: nil, limit: 4) } == .damaged)
            #expect(await fault { try await store.layouts(after: "u3", limit: 1) } == .damaged)
            #expect(try await store.layouts(after: "u4", limit: 3).map(\.user) == ["u5", "u6"])
        }
    }

    @Test func aDamagedRevisionIsNotShown() async throws {
        try await database.withStore { store in for _ in 1...3 { try await store.put(["a"], of: "u1") } }
        try database.execute("UPDATE revisions SET items = 'b' WHERE version = 2")
        try await database.withStore { store in
            let newest = try await store.revisions(of: "u1", below: nil, limit: 1)
            #expect(newest.map(\.layout.version) == [3])
            #expect(await fault { try await store.revisions(of: "u1", below: nil, limit: 10) } == .damaged)
            #expect(await fault { try await store.revision(2, of: "u1") } == .damaged)
        }
    }

    @Test func aDamagedRequestIsNotListed() async throws {
        try await database.withStore { store in
            let request = IdempotentRequest(scope: "s", key: "k", fingerprint: [1], notBefore: 0, now: 1)
            _ = try await store.update("u1", request: request) { _ in
                Decision(change: nil, value: 0, answer: RecordedAnswer(status: 200, entityTag: "", content: []))
            }
        }
        try database.execute("UPDATE idempotency SET user_id = 'u2'")
        try await database.withStore { store in
            #expect(await fault { try await store.recordedRequests(of: "u2") } == .damaged)
        }
    }

    /// Read as text it would come back as another key, before or behind its place, and be found again and again.
    @Test(.timeLimit(.minutes(1))) func aKeyThatIsNoTextEndsNoSweep() async throws {
        try await database.withStore { store in for _ in 1...3 { try await store.put(["a"], of: "u1") } }
        try database.execute("UPDATE revisions SET user_id = CAST(x'FE41' AS TEXT)")
        try await database.withStore { store in
            let count = try await store.prune(revisionsBefore: .max, requestsBefore: .max)
            #expect(count == 0, "they are nobody's newest or old")
        }
    }

    /// A restore leaves a gap between two versions, and the history before it stays for as long as it is among the newest.
    @Test func theNewestStayAcrossAGap() async throws {
        let database = database.configured { $0.historyKept = 3 }
        try await database.withStore { store in for _ in 1...5 { try await store.put(["a"], of: "u1") } }
        #expect(try versions(in: database) == "3,4,5")
        try database.execute("UPDATE identity SET version_floor = 1000000")
        for kept in ["4,5,1000001", "5,1000001,1000002", "1000001,1000002,1000003", "1000002,1000003,1000004"] {
            try await database.withStore { _ = try await $0.put(["a"], of: "u1") }
            #expect(try versions(in: database) == kept)
        }
    }

    @Test func aShorterHistoryIsCutAtTheNextChange() async throws {
        try await database.withStore { store in for _ in 1...9 { try await store.put(["a"], of: "u1") } }
        let shorter = database.configured { $0.historyKept = 4 }
        try await shorter.withStore { _ = try await $0.put(["a"], of: "u1") }
        #expect(try versions(in: database) == "7,8,9,10")
        try await database.withStore { _ = try await $0.put(["a"], of: "u1") }
        #expect(try versions(in: database) == "7,8,9,10,11", "what is allowed again fills up")
    }

    private func versions(in database: Database) throws -> String? {
        try database.text("SELECT group_concat(version) FROM (SELECT version FROM revisions ORDER BY version)")
    }

    @Test func aCancelledSweepStops() async throws {
        try await database.withStore { store in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await store.prune(revisionsBefore: 0, requestsBefore: 0)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func aSweepTakesTheOldFromTheBottom() {
        var sweep = RevisionSweep()
        let first = sweep.advance(over: [
            row("a", 1, old: true), row("a", 2, old: false), row("a", 3, old: true), row("b", 5, old: true),
        ])
        #expect(first == [key("a", 1), key("b", 5)])
        let second = sweep.advance(over: [row("b", 6, old: true), row("b", 7, old: false)])
        #expect(second == [key("b", 6)], "it goes on where it stood")
        #expect(sweep.advance(over: [row("b", 7, old: true)]) == nil, "out of order")
        #expect(sweep.advance(over: [row("a", 9, old: true)]) == nil)
    }

    private func key(_ user: String, _ version: Version) -> RevisionKey {
        RevisionKey(user: Array(user.utf8), version: version)
    }

    private func row(_ user: String, _ version: Version, old: Bool) -> RevisionSweep.Row {
        .init(key: key(user, version), isOld: old)
    }
}
