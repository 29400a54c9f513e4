import LayoutApplication
import LayoutModel
import LayoutSQLite
import LayoutTesting
import Locking
import Testing

@Suite struct WritingTests {
    private let database = Database()

    @Test func thoseWhoWaitShareOneTransaction() async throws {
        try await database.withStore { store in
            let faults = await store.together(400) { number in
                await fault { try await store.put(["a"], of: UserID("u\(number)")!) }
            }
            #expect(faults.allSatisfy { $0 == nil })
            #expect(store.writes.changes == 400)
            #expect(store.writes.commits == 1)
        }
    }

    @Test func aTransactionIsBounded() async throws {
        try await database.withStore { store in
            _ = await store.together(1_000) { number in
                await fault { try await store.put(["a"], of: UserID("u\(number)")!) }
            }
            #expect(store.writes.commits == 2)
        }
    }

    /// The cache holds what was before all of them.
    @Test func changesToOneUserInOneTransactionSeeEachOther() async throws {
        try await database.withStore { store in
            try await store.put(["a"], of: "u1")
            let versions = await store.together(20) { _ in try? await store.put(["a"], of: "u1").version }
            #expect(Set(versions) == Set(2...21))
            #expect(store.writes.commits == 2)
            #expect(try await store.layout(of: "u1").layout.version == 21)
        }
    }

    @Test func aTransactionWithoutChangesWritesNothing() async throws {
        try await database.withStore { store in
            try await store.put(["a"], of: "u1")
            let (writes, log) = (store.writes, database.size(of: "layouts.db-wal"))
            for _ in 0..<10 {
                _ = try await store.update("u1", request: nil) { _ in Decision(change: nil, value: ()) }
                _ = try? await store.update("u2", request: nil) { _ -> Decision<Int> in throw StoreError.busy }
            }
            #expect(store.writes.commits == writes.commits)
            #expect(database.size(of: "layouts.db-wal") == log)
        }
    }

    @Test func aFullDatabaseRefusesAndRecovers() async throws {
        try await database.withStore { store in
            let before = try await store.put(["a"], of: "u1")
            let pages = try await store.onWriter { try $0.integer("PRAGMA page_count") }
            try await store.onWriter { try $0.execute("PRAGMA max_page_count = \(pages)") }
            let big = (0..<2_000).map { FunctionID("function-\($0)")! }
            #expect(await fault { try await store.put(big, of: "u1") } == .unavailable)
            #expect(store.writes.isFailing)
            #expect(try await store.layout(of: "u1").layout == before, "what is there is read")
            #expect(try await store.put(["b"], of: "u1").version == 2, "what still fits is written")

            #expect(await fault { try await store.put(big, of: "u1") } == .unavailable)
            try await store.check()
            #expect(!store.writes.isFailing, "the check tried to write")

            try await store.onWriter { try $0.execute("PRAGMA max_page_count = 1000000") }
            #expect(try await store.put(big, of: "u1").version == 3)
        }
        try await database.withStore { store in
            let layout = try await store.layout(of: "u1").layout
            #expect(layout.favorites?.count == 2_000)
            #expect(try await store.list(of: "u1", at: 2) == .kept(["b"]))
        }
    }

    @Test func whereNothingCanBeWrittenTheStoreIsNotWell() async throws {
        try await database.withStore { store in
            try await store.put(["a"], of: "u1")
            try await store.onWriter { try $0.execute("PRAGMA query_only = ON") }
            #expect(await fault { try await store.put(["b"], of: "u1") } == .unavailable)
            #expect(await fault { try await store.check() } == .unavailable)
            #expect(try await store.layout(of: "u1").layout.favorites == ["a"])
            try await store.onWriter { try $0.execute("PRAGMA query_only = OFF") }
            try await store.check()
            #expect(try await store.put(["b"], of: "u1").version == 2)
        }
    }

    /// Its neighbours in the transaction are not harmed, and nothing of it stays.
    @Test func aChangeThatFailsHalfwayIsTakenBack() async throws {
        try await database.withStore { store in
            try await store.refuseRevisions(where: "NEW.user_id = 'bad'", by: "ABORT")
            let faults = await store.together(30) { number in
                await fault {
                    try await store.put(["a"], of: number.isMultiple(of: 10) ? "bad" : UserID("u\(number)")!)
                }
            }
            #expect(faults.filter { $0 == .unavailable }.count == 3)
            #expect(faults.filter { $0 == nil }.count == 27)
            #expect(try await store.layout(of: "bad").layout == .never)
            #expect(try await store.layout(of: "u1").layout.version == 1)
        }
    }

    /// What was decided before the failure is decided anew, and what comes after it sees that.
    @Test func thoseBehindAFailureSeeThoseBeforeIt() async throws {
        try await database.withStore { store in
            try await store.refuseRevisions(where: "NEW.items = 'bad'", by: "ABORT")
            let versions = await store.together(40) { number in
                try? await store.put([number.isMultiple(of: 4) ? "bad" : "good"], of: "u1").version
            }
            #expect(Set(versions.compactMap { $0 }) == Set(1...30))
            #expect(try await store.layout(of: "u1").layout.version == 30)
            #expect(try await store.list(of: "u1", at: 30) == .kept(["good"]))
        }
    }

    /// SQLite rolls back everything: all who were in the transaction are told, and the next one is written.
    @Test func aTransactionThatIsLostIsToldToAll() async throws {
        try await database.withStore { store in
            try await store.refuseRevisions(where: "NEW.user_id = 'bad'", by: "ROLLBACK")
            let faults = await store.together(20) { number in
                await fault { try await store.put(["a"], of: number == 10 ? "bad" : UserID("u\(number)")!) }
            }
            #expect(faults.allSatisfy { $0 == .unavailable })
            for number in 0..<20 { #expect(try await store.layout(of: UserID("u\(number)")!).layout == .never) }
            #expect(try await store.put(["a"], of: "after").version == 1)
        }
    }

    @Test func tooManyWhoWaitAreRefused() async throws {
        try await database.configured({ $0.waitingLimit = 4 }).withStore { store in
            let faults = await store.together(10) { number in
                await fault { try await store.put(["a"], of: UserID("u\(number)")!) }
            }
            #expect(faults.filter { $0 == nil }.count == 4)
            #expect(faults.filter { $0 == .busy }.count == 6)
        }
    }

    @Test func theLogStaysWithinItsBound() async throws {
        let favorites = (0..<400).map { FunctionID("function-\($0)")! }
        try await database.configured({ $0.checkpointPages = 200 }).withStore { store in
            var largest = 0
            // Each change is some pages of its own, and few come together.
            for _ in 0..<60 {
                try await withThrowingTaskGroup { group in
                    for number in 0..<8 { group.addTask { try await store.put(favorites, of: UserID("u\(number)")!) } }
                    try await group.waitForAll()
                }
                largest = max(largest, database.size(of: "layouts.db-wal"))
            }
            #expect(store.writes.checkpoints >= 2)
            #expect(largest < 400 * 4_120, "twice the bound of 200 pages")
        }
    }

    @Test(.timeLimit(.minutes(1))) func theLogIsEmptiedWhenNothingIsWritten() async throws {
        try await database.configured({ $0.quietSeconds = 0 }).withStore { store in
            try await store.put(["a"], of: "u1")
            while store.writes.checkpoints == 0 { await Task.yield() }
            #expect(database.size(of: "layouts.db-wal") == 0)
        }
    }

    /// It is longer than what is in it; and what is in it is there, for whoever finds it after a crash as well.
    @Test func aLogInUseHasRoomAhead() async throws {
        let copy = Database()
        try await database.withStore { store in
            try await store.put(["a"], of: "u0")
            let isolated = database.size(of: "layouts.db-wal")
            #expect(isolated < 64 * 4_120)
            for number in 1...100 { try await store.put(["a"], of: UserID("u\(number)")!) }
            let (used, size) = (try await store.onWriter { $0.walPages }, database.size(of: "layouts.db-wal"))
            #expect(size > 32 + (used + 64) * 4_120)
            for name in ["layouts.db", "layouts.db-wal"] { copy.write(database.bytes(of: name), to: name) }
        }
        #expect(try copy.integer("SELECT count(*) FROM layouts") == 101)
        #expect(try copy.text("PRAGMA integrity_check") == "ok")
    }

    /// A statement left on a row would hold the log open.
    @Test func afterReadsTheLogCanBeEmptied() async throws {
        try await database.withStore { store in
            for number in 0..<20 { try await store.put(["a"], of: UserID("u\(number)")!) }
            for number in 0..<20 { _ = try await store.list(of: UserID("u\(number)")!, at: 1) }
            for number in 20..<40 { _ = try await store.layout(of: UserID("u\(number)")!) }
            _ = try await store.catalogRevisions(below: nil, limit: 10)
            _ = try await store.currentCatalog()
            #expect(database.size(of: "layouts.db-wal") > 0)
            try await store.onWriter { try $0.checkpoint(.truncate) }
            #expect(database.size(of: "layouts.db-wal") == 0)
        }
    }

    @Test func everyTransactionIsReported() async throws {
        let reports = Reports()
        try await database.configured({ $0.onCommit = { reports.add($0) } }).withStore { store in
            try await store.put(["a"], of: "u1")
            _ = try await store.update("u1", request: nil) { _ in Decision(change: nil, value: ()) }
        }
        let seen = reports.all
        #expect(seen.map(\.wrote) == [true, false])
        #expect(seen.map(\.changes) == [1, 1])
    }

    @Test func expiredAnswersLeaveWithTheTraffic() async throws {
        try await database.withStore { store in
            for number in 0..<50 {
                let now = Timestamp(number * 10)
                let request = IdempotentRequest(
                    scope: "s", key: "k\(number)", fingerprint: [1], notBefore: now - 50, now: now)
                _ = try await store.update("u1", request: request) { _ in
                    Decision(change: nil, value: 0, answer: RecordedAnswer(status: 200, entityTag: "", content: []))
                }
            }
        }
        #expect(try database.integer("SELECT count(*) FROM idempotency") <= 7)
    }
}

private final class Reports: Sendable {
    private let reports = Mutex<[CommitReport]>([])
    var all: [CommitReport] { reports.withLock { $0 } }
    func add(_ report: CommitReport) { reports.withLock { $0.append(report) } }
}

extension SQLiteLayoutStore {
    /// Has SQLite refuse some of the rows that are added to the history.
    ///
    /// - Parameter action: ABORT takes the statement back, ROLLBACK the transaction.
    fileprivate func refuseRevisions(where condition: String, by action: String) async throws {
        try await onWriter { connection in
            try connection.execute(
                """
                CREATE TEMP TRIGGER fail BEFORE INSERT ON main.revisions WHEN \(condition)
                BEGIN SELECT RAISE(\(action), 'no'); END
                """)
        }
    }
}
