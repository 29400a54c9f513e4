import HTTP1
import Locking

/// The tokens that were verified a moment ago, so that a user's next request costs a hash and a look.
///
/// They are found by a hash under a secret of the process (SipHash), and then compared as a whole: nobody can send a token
/// that gets as far as the comparison with another's, so how long that takes tells nothing. SHA-256 in its place cost as
/// much as all the rest of a request where the processor has no instruction for it.
final class VerifiedTokens: Sendable {
    private let shards: [Shard]
    private let shardCapacity: Int

    /// Many locks in place of one: each event loop asks for every request.
    private static let shardCount = 16

    /// - Parameter capacity: how many tokens are kept at most. One takes about 200 bytes and its own length.
    init(capacity: Int = 32_768) {
        shardCapacity = max(2, capacity / Self.shardCount)
        shards = (0..<Self.shardCount).map { _ in Shard() }
    }

    /// A token on its way through here, with its hash.
    struct Key {
        fileprivate let token: ArraySlice<UInt8>
        fileprivate let hash: Int

        init(_ token: ArraySlice<UInt8>) {
            self.token = token
            hash = TokenHash.secret.hash(token)
        }
    }

    private final class Entry: Sendable {
        let token: [UInt8]
        let principal: Principal
        /// In milliseconds since 1970. Its start counts, too: a clock may be set back.
        let validity: Range<Int64>

        init(_ token: ArraySlice<UInt8>, of principal: Principal, validity: Range<Int64>) {
            self.token = Array(token)
            self.principal = principal
            self.validity = validity
        }

        func isOf(_ key: Key) -> Bool { key.token.hasSameOctets(as: token) }
    }

    private final class Shard: Sendable {
        let generations = Mutex(Generations())
    }

    /// Tokens used lately, and tokens used before: when the young ones are many they become the old ones, and those
    /// that nobody used since are forgotten. Of two with one hash, the later one stays.
    private struct Generations {
        var young: [Int: Entry] = [:]
        var old: [Int: Entry] = [:]

        mutating func insert(_ entry: Entry, for hash: Int, capacity: Int) {
            if young.count >= capacity / 2 {
                old = young
                young = [:]
            }
            young[hash] = entry
        }
    }

    /// - Returns: nil for a token that is not known, or not valid at `now`.
    func principal(for key: Key, at now: Int64) -> Principal? {
        shard(for: key).generations.withLock { generations in
            if let entry = generations.young[key.hash] {
                return entry.isOf(key) && entry.validity.contains(now) ? entry.principal : nil
            }
            guard let entry = generations.old.removeValue(forKey: key.hash), entry.isOf(key),
                entry.validity.contains(now)
            else { return nil }
            generations.insert(entry, for: key.hash, capacity: shardCapacity)
            return entry.principal
        }
    }

    func insert(_ principal: Principal, validity: Range<Int64>, for key: Key) {
        let entry = Entry(key.token, of: principal, validity: validity)
        shard(for: key).generations.withLock { $0.insert(entry, for: key.hash, capacity: shardCapacity) }
    }

    var count: Int {
        shards.reduce(0) { sum, shard in sum + shard.generations.withLock { $0.young.count + $0.old.count } }
    }

    private func shard(for key: Key) -> Shard { shards[Int(UInt(bitPattern: key.hash) % UInt(Self.shardCount))] }
}

/// A hash of a token's end under a secret of the process: four words of its signature, in two products whose halves are laid
/// over each other. What is kept has passed verification, and of such signatures no two end alike but by chance.
private struct TokenHash {
    static let secret = TokenHash()

    private let keys: SIMD4<UInt64> = .random(in: 0 ... .max)

    func hash(_ token: ArraySlice<UInt8>) -> Int {
        token.withUnsafeBytes { octets in
            var words = SIMD4<UInt64>.zero
            withUnsafeMutableBytes(of: &words) {
                $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: octets.suffix(32)))
            }
            words ^= keys
            return Int(truncatingIfNeeded: Self.fold(words[0], words[1]) ^ Self.fold(words[2], words[3]))
        }
    }

    private static func fold(_ one: UInt64, _ two: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: two)
        return product.high ^ product.low
    }
}
