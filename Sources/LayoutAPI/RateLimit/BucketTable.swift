import Locking

/// The buckets of all clients of a kind, in a fixed amount of memory.
///
/// A full bucket has no entry. A key has eight places where its bucket may stand; when others hold them all, the fullest
/// of the eight is forgotten, which is to say filled up: a crowd of strangers can at worst give somebody more tokens, never
/// fewer. Keys are hashes under a secret of the process, so nobody can choose whose places to take.
package final class BucketTable: Sendable {
    private let limit: RateLimit
    private let shards: [Shard]

    private static let ways = 8

    private struct Entry {
        var key: UInt64 = 0
        var bucket = TokenBucket()
    }

    /// Its own lock, so that event loops seldom meet.
    private final class Shard: Sendable {
        let entries: Mutex<[Entry]>

        init(_ count: Int) { entries = Mutex([Entry](repeating: Entry(), count: count)) }
    }

    /// - Parameter capacity: the most buckets; 16 bytes each. A power of two, 256 or more.
    package init(_ limit: RateLimit, capacity: Int = 1 << 16) {
        precondition(capacity >= 256 && capacity & (capacity - 1) == 0, "a power of two")
        self.limit = limit
        shards = (0..<16).map { _ in Shard(capacity / 16) }
    }

    /// Takes a token from the bucket of `key`, which has to be spread evenly over all numbers.
    package func take(_ key: UInt64, at now: Int64) -> TokenBucket.Standing {
        shards[Int(key & 15)].entries.withLock { entries in
            let first = Int((key >> 4) & UInt64(entries.count / Self.ways - 1)) * Self.ways
            let place = Self.place(of: key, in: entries[first..<first + Self.ways])
            if entries[place].key != key { entries[place] = Entry(key: key) }
            return entries[place].bucket.take(limit, at: now)
        }
    }

    private static func place(of key: UInt64, in set: ArraySlice<Entry>) -> Int {
        var fullest = set.startIndex
        for index in set.indices {
            if set[index].key == key { return index }
            if set[index].bucket.fullAt < set[fullest].bucket.fullAt { fullest = index }
        }
        return fullest
    }
}
