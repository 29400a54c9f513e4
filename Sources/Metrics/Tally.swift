internal import CSystem
internal import Synchronization

/// A number that many threads add to at once, each in a cache line of its own; the sum is made when somebody asks.
package final class Tally: Sendable {
    // nonisolated(unsafe): set once; what it points to is atomic.
    nonisolated(unsafe) private let cells: UnsafeMutablePointer<Atomic<Int>>

    package init() {
        cells = .allocate(capacity: Shards.count * Self.stride)
        for index in 0..<Shards.count * Self.stride { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: Shards.count * Self.stride)
        cells.deallocate()
    }

    package func add(_ amount: Int = 1) {
        cells[Shards.current * Self.stride].wrappingAdd(amount, ordering: .relaxed)
    }

    package var value: Int {
        (0..<Shards.count).reduce(0) { $0 + cells[$1 * Self.stride].load(ordering: .relaxed) }
    }

    /// A cache line is 64 octets.
    private static let stride = 8
}

/// Who counts where. Threads that share a place are only slower.
enum Shards {
    /// A power of two.
    static let count = 8

    static var current: Int { Int(system_thread_number()) & (count - 1) }
}
