import LayoutApplication
import LayoutModel
import LayoutSQLite
import LayoutTesting
import Locking
import Testing

/// What the reads of a thread leave open for the next one, and what must not be seen of it.
@Suite struct SharedReadsTests {
    /// A cache that holds nothing: each read looks into the file.
    private let database = Database().configured { $0.cacheBytes = 0 }

    /// Whether somebody's read transaction keeps the write-ahead log from being emptied.
    private func isLogHeld() throws -> Bool { try database.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 1 }

    @Test func aTransactionIsOpenFromTheFirstReadUntilTheyEnd() async throws {
        try await database.withStore { store in
            try await store.put(["a"], of: "u1")
            _ = try #require(store.layoutAtHand(of: "u1"))
            #expect(try !isLogHeld(), "each read is for itself where nobody has said that there will be more")
            try await store.put(["a"], of: "u1")
            try readAndEnd(store)
        }
    }

    /// All of it on one thread.
    private func readAndEnd(_ store: SQLiteLayoutStore) throws {
        let endReads = try #require(store.shareReadsAtHand())
        _ = try #require(store.layoutAtHand(of: "u1"))
        #expect(try isLogHeld())
        _ = try #require(store.layoutAtHand(of: "nobody"))
        endReads()
        #expect(try !isLogHeld())
        endReads()
    }

    @Test func eachSeesWhatWasCommittedBeforeIt() async throws {
        try await database.withStore { store in
            _ = store.shareReadsAtHand()
            for version in 1...20 {
                try await store.put(["a"], of: "u1")
                #expect(store.layoutAtHand(of: "u1")?.layout.version == Version(version))
                #expect(store.layoutAtHand(of: "u2")?.layout == .never)
            }
        }
    }

    /// Reads that take their time come between them on the same connections.
    @Test func whoWaitsSeesTheNewestToo() async throws {
        try await database.withStore { store in
            _ = store.shareReadsAtHand()
            for version in 1...20 {
                try await store.put(["a"], of: "u1")
                _ = store.layoutAtHand(of: "u1")
                try await store.put(["b"], of: "u1")
                #expect(try await store.layout(of: "u1").layout.version == Version(2 * version))
                #expect(try await store.layout(of: "u1").layout.version == Version(2 * version))
            }
        }
    }

    /// One who reads meanwhile may see it, and another one not yet: neither has what all others have.
    @Test func nothingStandsForACommitUnderWay() {
        let commits = CommitCount()
        let before = commits.mark
        #expect(before != nil && commits.mark == before)
        commits.commitBegins()
        #expect(commits.mark == nil)
        commits.commitEnds()
        #expect(commits.mark != nil && commits.mark != before)
    }

    /// What one thread has seen, no other one may not have seen yet.
    @Test func noVersionGoesBackForAnybody() async throws {
        try await database.withStore { store in
            let crowd = Crowd(on: store)
            try await withThrowingTaskGroup { group in
                for _ in 0..<3 { group.addTask { await crowd.readRounds() } }
                group.addTask {
                    for _ in 0..<300 { try await store.put(["a"], of: "u1") }
                    crowd.isDone.withLock { $0 = true }
                }
                try await group.waitForAll()
            }
        }
    }

    /// It does where nobody holds it at that moment: readers who always did would have it grow for ever.
    @Test(.timeLimit(.minutes(2))) func theLogBeginsAnewWhileOthersRead() async throws {
        let bounded = database.configured {
            $0.cacheBytes = 0
            $0.checkpointPages = 50
        }
        try await bounded.withStore { store in
            let crowd = Crowd(on: store)
            try await withThrowingTaskGroup { group in
                for _ in 0..<2 { group.addTask { await crowd.readRounds() } }
                group.addTask {
                    var (beginnings, before) = (0, 0)
                    while beginnings < 5 {
                        try await store.put(["a"], of: "u1")
                        let pages = try await store.onWriter { $0.walPages }
                        if pages < before { beginnings += 1 }
                        before = pages
                    }
                    crowd.isDone.withLock { $0 = true }
                }
                try await group.waitForAll()
            }
            let seen = crowd.newest.withLock { $0 }
            #expect(seen > 0, "somebody has read meanwhile")
        }
    }
}

/// Readers of one layout, in rounds as an event loop has them: each ends on the thread on which it began.
private final class Crowd: Sendable {
    private let store: SQLiteLayoutStore
    private let endReads: @Sendable () -> Void
    /// The newest version that any of them has seen.
    let newest = Mutex<Version>(0)
    let isDone = Mutex(false)

    init(on store: SQLiteLayoutStore) {
        self.store = store
        endReads = store.shareReadsAtHand() ?? {}
    }

    func readRounds() async {
        while !isDone.withLock({ $0 }) {
            readRound()
            await Task.yield()
        }
    }

    private func readRound() {
        for _ in 0..<20 {
            let before = newest.withLock { $0 }
            guard let version = store.layoutAtHand(of: "u1")?.layout.version else { continue }
            #expect(version >= before)
            newest.withLock { $0 = max($0, version) }
        }
        endReads()
    }
}
