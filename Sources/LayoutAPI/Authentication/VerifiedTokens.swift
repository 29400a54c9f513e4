import Locking

/// The tokens that were verified a moment ago, by their hash, so that a user's next request costs a hash and a look.
///
/// What is looked up is the SHA-256 of what a client sent: how long a look takes tells nothing about any other token.
final class VerifiedTokens: Sendable {
    private let shards: [Shard]
    private let shardCapacity: Int

    /// Many locks in place of one: each event loop asks for every request.
    private static let shardCount = 16

    /// - Parameter capacity: how many tokens are kept at most. One takes about 200 bytes.
    init(capacity: Int = 65_536) {
        shardCapacity = max(2, capacity / Self.shardCount)
        shards = (0..<Self.shardCount).map { _ in Shard() }
    }

    struct Entry: Sendable {
        let principal: Principal
        /// In milliseconds since 1970. Its start counts, too: a clock may be set back.
        let validity: Range<Int64>
    }

    private final class Shard: Sendable {
        let generations = Mutex(Generations())
    }

    /// Tokens used lately, and tokens used before: when the young ones are many they become the old ones, and those
    /// that nobody used since are forgotten.
    private struct Generations {
        var young: [SHA256Digest: Entry] = [:]
        var old: [SHA256Digest: Entry] = [:]

        mutating func insert(_ entry: Entry, for digest: SHA256Digest, capacity: Int) {
            if young.count >= capacity / 2 {
                old = young
                young = [:]
            }
            young[digest] = entry
        }
    }

    /// - Returns: nil for a token that is not known, or not valid at `now`.
    func principal(for digest: SHA256Digest, at now: Int64) -> Principal? {
        shard(for: digest).generations.withLock { generations in
            if let entry = generations.young[digest] {
                return entry.validity.contains(now) ? entry.principal : nil
            }
            guard let entry = generations.old.removeValue(forKey: digest), entry.validity.contains(now) else {
                return nil
            }
            generations.insert(entry, for: digest, capacity: shardCapacity)
            return entry.principal
        }
    }

    func insert(_ entry: Entry, for digest: SHA256Digest) {
        shard(for: digest).generations.withLock { $0.insert(entry, for: digest, capacity: shardCapacity) }
    }

    var count: Int {
        shards.reduce(0) { sum, shard in sum + shard.generations.withLock { $0.young.count + $0.old.count } }
    }

    private func shard(for digest: SHA256Digest) -> Shard { shards[digest.spread % Self.shardCount] }
}
