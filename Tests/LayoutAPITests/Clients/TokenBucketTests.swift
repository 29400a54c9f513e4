import LayoutAPI
import LayoutTesting
import Testing

private let second: Int64 = 1_000_000_000

/// A token bucket as textbooks have it: a level that rises with time.
private struct SlowBucket {
    let limit: RateLimit
    /// In nanoseconds' worth of tokens.
    var level: Int64
    var last: Int64 = 0

    mutating func take(at now: Int64) -> Bool {
        level = min(limit.fillTime, level + now - last)
        last = now
        guard level >= limit.interval else { return false }
        level -= limit.interval
        return true
    }
}

struct TokenBucketTests {
    @Test(arguments: [
        ("20/s", second / 20, 20), ("600/m", second / 10, 600), ("5000/h", 720_000_000, 5_000),
        ("20/s:40", second / 20, 40), ("1/h:1000000", 3_600 * second, 1_000_000), ("1000000/s:1", 1_000, 1),
    ])
    func aLimitIsReadFromText(text: String, interval: Int64, burst: Int64) throws {
        let limit = try #require(RateLimit(text))
        #expect(limit.interval == interval)
        #expect(limit.burst == burst)
    }

    @Test(arguments: [
        "", "20", "20/", "/s", "20/d", "0/s", "-1/s", "+1/s", "1.5/s", "20/s:", "20/s:0", "20/s:1:2", " 20/s",
        "1000001/s",
        "20/s/s", "99999999999999999999/s", "２0/s",
    ])
    func aTextThatIsNoneIsRefused(text: String) {
        #expect(RateLimit(text) == nil)
    }

    @Test func aFullBucketGivesItsBurstAndThenOneAtATime() throws {
        let limit = try #require(RateLimit("10/s:3"))
        var bucket = TokenBucket()
        for remaining in [2, 1, 0] as [Int64] {
            let standing = bucket.take(limit, at: 0)
            #expect(standing.isTaken)
            #expect(standing.remaining == remaining)
            #expect(standing.untilFull == (3 - remaining) * second / 10)
        }
        let refused = bucket.take(limit, at: 0)
        #expect(!refused.isTaken)
        #expect(refused.remaining == 0)
        #expect(refused.untilNext == second / 10)
        #expect(refused.untilFull == 3 * second / 10)
        #expect(!bucket.take(limit, at: second / 10 - 1).isTaken)
        #expect(bucket.take(limit, at: second / 10).isTaken)
        #expect(!bucket.take(limit, at: second / 10).isTaken)
        #expect(bucket.take(limit, at: 100 * second).remaining == 2, "a rest fills it, and no further")
    }

    @Test func whatIsRefusedCostsNothing() throws {
        let limit = try #require(RateLimit("1/s"))
        var bucket = TokenBucket()
        #expect(bucket.take(limit, at: 0).isTaken)
        for instant in 1..<100 { #expect(!bucket.take(limit, at: Int64(instant)).isTaken) }
        #expect(bucket.take(limit, at: second).isTaken)
    }

    @Test func aClockThatIsReadOutOfOrderGivesNothingAway() throws {
        let limit = try #require(RateLimit("1/s:2"))
        var bucket = TokenBucket()
        #expect(bucket.take(limit, at: 5 * second).isTaken)
        _ = bucket.take(limit, at: 5 * second - 10)
        #expect(!bucket.take(limit, at: 5 * second - 20).isTaken)
    }

    @Test(arguments: ["1/s", "10/s:3", "7/m:5", "1000/s:1", "3/h:100"])
    func itDoesWhatTheTextbookDoes(text: String) throws {
        let limit = try #require(RateLimit(text))
        var random = SplitMix64(seed: UInt64(limit.interval))
        var bucket = TokenBucket()
        var slow = SlowBucket(limit: limit, level: limit.fillTime)
        var now: Int64 = 0
        for _ in 0..<20_000 {
            now += Int64.random(in: 0...limit.interval * 2, using: &random)
            if Int.random(in: 0..<50, using: &random) == 0 { now += limit.fillTime }
            let standing = bucket.take(limit, at: now)
            #expect(standing.isTaken == slow.take(at: now))
            #expect(standing.remaining == slow.level / limit.interval)
            #expect(standing.untilFull == limit.fillTime - slow.level)
            #expect(standing.untilNext == max(0, limit.interval - slow.level))
        }
    }
}

struct BucketTableTests {
    private let limit = RateLimit("1/h:2")!

    @Test func eachKeyHasItsOwnBucket() {
        let table = BucketTable(limit)
        for key in 1...1_000 as ClosedRange<UInt64> {
            let spread = key &* 0x9E37_79B9_7F4A_7C15
            #expect(table.take(spread, at: 0).remaining == 1)
            #expect(table.take(spread, at: 0).remaining == 0)
            #expect(!table.take(spread, at: 0).isTaken)
        }
    }

    @Test func aCrowdMayGiveTokensAwayButTakesNone() {
        let table = BucketTable(limit, capacity: 256)
        var random = SplitMix64(seed: 7)
        for _ in 0..<50_000 {
            let standing = table.take(random.next(), at: 0)
            #expect(standing.isTaken, "whoever comes for the first time is let in")
        }
    }

    @Test func whoIsEmptiestIsForgottenLast() {
        let table = BucketTable(limit, capacity: 256)
        // Two sets a shard: all these keys stand in the same eight places.
        let culprit: UInt64 = 1 << 32
        while table.take(culprit, at: 0).isTaken {}
        for stranger in 2...200 as ClosedRange<UInt64> { _ = table.take(stranger << 32, at: 0) }
        #expect(!table.take(culprit, at: 0).isTaken, "strangers with more tokens make room for each other")
    }

    @Test func manyThreadsTakeNoMoreThanThereIs() async {
        let table = BucketTable(RateLimit("1/h:1000")!)
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<500).count { _ in table.take(42, at: 0).isTaken } }
            }
            return await group.reduce(0, +)
        }
        #expect(taken == 1_000)
    }
}

struct PeerKeyTests {
    @Test(arguments: [
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:ffff::1"), ("2001:db8::1", "2001:db8::2"), ("::1", "::2"), ("::", "::1"),
        ("2001:db8:0:1::", "2001:db8:0:1:9::9"), ("fe80::", "fe80::1"), ("1:2:3:4::", "1:2:3:4:5:6:7:8"),
    ])
    func oneNetworkOf64BitsIsOneClient(first: String, second: String) {
        #expect(PeerKey(first) == PeerKey(second))
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.2"), ("2001:db8:1:2::", "2001:db8:1:3::"), ("2001:db8::1", "2001:db8:0:1::1"),
        ("::1", "1::"), ("127.0.0.1", "::1"),
    ])
    func anotherNetworkIsAnother(first: String, second: String) {
        #expect(PeerKey(first) != PeerKey(second))
    }

    @Test func aUnixSocketHasNone() {
        #expect(PeerKey("") == nil)
    }
}
