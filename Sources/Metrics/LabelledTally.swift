internal import Locking

/// A number for each value of one label. For what is not counted with every request: it takes a lock, one of several.
///
/// Its values are words of the program, never of a request: whoever may choose them may fill the memory.
package final class LabelledTally: Sendable {
    private let shards: [Shard]

    private final class Shard: Sendable {
        let counts = Mutex<[String: Int]>([:])
    }

    package init() { shards = (0..<Shards.count).map { _ in Shard() } }

    package func add(_ label: String) {
        shards[Shards.current].counts.withLock { $0[label, default: 0] += 1 }
    }

    /// Sorted by label.
    package var totals: [(label: String, count: Int)] {
        let sums = shards.reduce(into: [String: Int]()) { sums, shard in
            sums.merge(shard.counts.withLock { $0 }, uniquingKeysWith: +)
        }
        return sums.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
