import LayoutApplication
import LayoutModel
import LayoutSQLite
import LayoutTesting
import Testing

/// The orders in which a reader and the writer can meet, played one by one.
@Suite struct LayoutCacheTests {
    private let cache = LayoutCache(bytes: 1 << 20, shards: 1)
    private let old = StoredLayout(favorites: ["a"], version: 1, updatedAt: 1)
    private let new = StoredLayout(favorites: ["b"], version: 2, updatedAt: 2)

    @Test func whatIsReadInPeaceIsKept() {
        let read = cache.settle(old, of: "u1", read: cache.ticket(for: "u1"))
        #expect(cache.entry(of: "u1") === read)
        #expect(cache.counts.hits == 1)
        #expect(cache.entry(of: "u2") == nil)
        #expect(cache.counts.misses == 1)
    }

    @Test func twoWhoReadAtOnceShareOneEntry() {
        let (one, two) = (cache.ticket(for: "u1"), cache.ticket(for: "u1"))
        #expect(cache.settle(old, of: "u1", read: one) === cache.settle(old, of: "u1", read: two))
    }

    @Test func whatIsReadDuringACommitIsNotKept() {
        cache.commitBegins(["u1"])
        #expect(cache.settle(old, of: "u1", read: cache.ticket(for: "u1")).layout == old)
        #expect(cache.entry(of: "u1") == nil)
        cache.commitEnds(["u1": new])
        #expect(cache.entry(of: "u1")?.layout == new)
    }

    /// The read began before the commit and comes back after the new entry was evicted again.
    @Test func whatWasReadBeforeACommitIsNotKeptAfterIt() {
        let ticket = cache.ticket(for: "u1")
        cache.commitBegins(["u1"])
        cache.commitEnds(["u1": new])
        cache.removeAll()
        #expect(cache.settle(old, of: "u1", read: ticket).layout == old)
        #expect(cache.entry(of: "u1") == nil)
    }

    @Test func whatWasReadBeforeACommitYieldsToTheNewEntry() {
        let ticket = cache.ticket(for: "u1")
        cache.commitBegins(["u1"])
        cache.commitEnds(["u1": new])
        #expect(cache.settle(old, of: "u1", read: ticket).layout == new)
    }

    /// COMMIT has happened on the disk and the old entry is still here: a reader from the disk must not be the first to see
    /// the new layout while others still get the old.
    @Test func nobodySeesAChangeBeforeEverybodyDoes() {
        let early = cache.ticket(for: "u1")
        _ = cache.settle(old, of: "u1", read: cache.ticket(for: "u1"))
        cache.commitBegins(["u1"])
        #expect(cache.settle(new, of: "u1", read: early).layout == old)
        #expect(cache.entry(of: "u1")?.layout == old)
        cache.commitEnds(["u1": new])
        #expect(cache.entry(of: "u1")?.layout == new)
    }

    @Test func aFailedCommitLeavesTheTruthToTheDisk() {
        _ = cache.settle(old, of: "u1", read: cache.ticket(for: "u1"))
        let ticket = cache.ticket(for: "u1")
        cache.commitBegins(["u1"])
        cache.commitFails(["u1"])
        #expect(cache.entry(of: "u1") == nil)
        _ = cache.settle(old, of: "u1", read: ticket)
        #expect(cache.entry(of: "u1") == nil, "read before it failed")
        let read = cache.settle(old, of: "u1", read: cache.ticket(for: "u1"))
        #expect(cache.entry(of: "u1") === read)
    }

    @Test func severalUsersOfOneShardAreInFlight() {
        cache.commitBegins(["u1", "u2"])
        cache.commitFails(["u1"])
        _ = cache.settle(old, of: "u3", read: cache.ticket(for: "u3"))
        #expect(cache.entry(of: "u3") == nil, "u2 is still in flight")
        cache.commitEnds(["u2": new])
        _ = cache.settle(old, of: "u3", read: cache.ticket(for: "u3"))
        #expect(cache.entry(of: "u3") != nil)
    }

    @Test func itStaysWithinItsBytes() {
        let room = 10 * LayoutCache.cost(of: "u00", old)
        let cache = LayoutCache(bytes: room, shards: 1)
        for number in 10..<99 {
            let user = UserID("u\(number)")!
            _ = cache.settle(old, of: user, read: cache.ticket(for: user))
            #expect(cache.counts.bytes <= room)
        }
        #expect(cache.counts.entries == 10)
    }

    @Test func whoIsReadOncePushesNobodyOut() {
        let cache = LayoutCache(bytes: 10 * LayoutCache.cost(of: "u00", old), shards: 1)
        func read(_ number: Int) {
            let user = UserID("u\(number)")!
            _ = cache.settle(old, of: user, read: cache.ticket(for: user))
        }
        for number in 10..<20 { read(number) }
        for number in 20..<99 { read(number) }
        #expect((10..<20).allSatisfy { cache.peek(at: UserID("u\($0)")!) != nil })
        read(98)
        #expect(cache.peek(at: "u98") != nil, "read again, and lately")
        #expect(cache.counts.entries == 10)
    }

    /// A new version is kept at once: who changes a layout reads it.
    @Test func whatIsWrittenIsKept() {
        let cache = LayoutCache(bytes: 10 * LayoutCache.cost(of: "u00", old), shards: 1)
        for number in 10..<99 {
            let user = UserID("u\(number)")!
            cache.commitBegins([user])
            cache.commitEnds([user: old])
            #expect(cache.peek(at: user) != nil)
        }
    }

    @Test func whatIsUsedStays() {
        let cache = LayoutCache(bytes: 10 * LayoutCache.cost(of: "u00", old), shards: 1)
        for number in 10..<99 {
            let user = UserID("u\(number)")!
            for _ in 1...2 { _ = cache.settle(old, of: user, read: cache.ticket(for: user)) }
            #expect(cache.peek(at: user) != nil)
            #expect(cache.entry(of: "u10") != nil)
        }
    }

    @Test func whatDoesNotFitIsNotKept() {
        let cache = LayoutCache(bytes: 100, shards: 1)
        cache.commitBegins(["u1"])
        cache.commitEnds(["u1": new])
        #expect(cache.entry(of: "u1") == nil)
        #expect(cache.counts.bytes == 0)
    }

    /// Against a slow, obvious reference: a dictionary that holds what was put last.
    @Test func itNeverAnswersWithAnythingButTheLast() {
        let cache = LayoutCache(bytes: 20_000, shards: 2)
        var newest: [UserID: StoredLayout] = [:]
        var random = SystemRandomNumberGenerator()
        for step in 1...20_000 {
            let user = UserID("u\(Int.random(in: 0..<60, using: &random))")!
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let layout = StoredLayout(favorites: ["a"], version: Version(step), updatedAt: 1)
                cache.commitBegins([user])
                cache.commitEnds([user: layout])
                newest[user] = layout
            case 1:
                _ = cache.settle(newest[user] ?? .never, of: user, read: cache.ticket(for: user))
            default:
                if let entry = cache.entry(of: user) { #expect(entry.layout == newest[user] ?? .never) }
            }
        }
        #expect(cache.counts.hits > 0 && cache.counts.bytes <= 20_000)
    }
}
