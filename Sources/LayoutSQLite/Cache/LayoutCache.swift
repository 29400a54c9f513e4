package import LayoutApplication
package import LayoutModel

/// The layouts that were read or written lately, bounded by bytes.
///
/// It never answers with something older than what anybody could have read. In WAL mode with `synchronous=FULL` SQLite
/// shows a commit to readers only after it is on stable storage, so the disk is always right; the cache stays so by three
/// rules, kept a shard:
///
/// 1. The writer says `commitBegins` before its COMMIT. While one is in flight, nothing that was read is kept.
/// 2. After COMMIT, `commitEnds` replaces the entries, and only then is anybody answered. It also counts the shard's
///    epoch: what a reader began to read before may be old and is not kept.
/// 3. A reader that finds an entry when it comes back from the disk gives that one, even if it has read a newer: a newer
///    layout is not seen by one before it is seen by all.
///
/// So a change takes effect at one moment: where its entry is replaced, or, for a user not in here, at its COMMIT. A
/// user's entry can leave at any time, but an old one cannot come back after a newer was seen.
package final class LayoutCache: Sendable {
    private let shards: [LayoutCacheShard]

    /// - Parameter bytes: for all; an estimate, see `cost`.
    package init(bytes: Int, shards count: Int = 16) {
        shards = (0..<count).map { _ in LayoutCacheShard(capacity: bytes / count) }
    }

    /// Counts as a hit or a miss.
    package func entry(of user: UserID) -> LayoutEntry? { shard(of: user).use(user) }

    package func peek(at user: UserID) -> LayoutEntry? { shard(of: user).entry(of: user) }

    /// To be taken before a user's layout is read from the disk.
    package func ticket(for user: UserID) -> Ticket { Ticket(epoch: shard(of: user).epoch) }

    package struct Ticket: Sendable { fileprivate let epoch: UInt64 }

    /// The entry for what was read from the disk, kept where it surely is the newest.
    package func settle(_ layout: StoredLayout, of user: UserID, read ticket: Ticket) -> LayoutEntry {
        let read = LayoutEntry(layout)
        return shard(of: user).keep(read, of: user, cost: Self.cost(of: user, layout), readIn: ticket.epoch)
    }

    package func commitBegins(_ users: some Sequence<UserID>) {
        for user in users { shard(of: user).commitBegins() }
    }

    package func commitEnds(_ changed: [UserID: StoredLayout]) {
        for (user, layout) in changed {
            shard(of: user).commitEnds(LayoutEntry(layout), of: user, cost: Self.cost(of: user, layout))
        }
    }

    /// The disk knows what became of it: their entries are let go.
    package func commitFails(_ users: some Sequence<UserID>) {
        for user in users { shard(of: user).commitFails(user) }
    }

    package func removeAll() {
        for shard in shards { shard.removeAll() }
    }

    package struct Counts: Equatable, Sendable {
        package var entries = 0
        package var bytes = 0
        package var hits = 0
        package var misses = 0
    }

    package var counts: Counts {
        shards.reduce(into: Counts()) { sum, shard in
            let counts = shard.counts
            sum.entries += counts.entries
            sum.bytes += counts.bytes
            sum.hits += counts.hits
            sum.misses += counts.misses
        }
    }

    private func shard(of user: UserID) -> LayoutCacheShard {
        shards[Int(user.spread % UInt(shards.count))]
    }

    /// About what an entry takes: its objects and places, the ids, and the encoded answer that the API hangs on it
    /// (measured: 1.5 KB for 12 items), which is counted as if it were there.
    package static func cost(of user: UserID, _ layout: StoredLayout) -> Int {
        (layout.favorites ?? []).reduce(512 + 2 * user.text.utf8.count) { $0 + 128 + 2 * $1.text.utf8.count }
    }
}
