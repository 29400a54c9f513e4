internal import Synchronization

/// Histograms by number. Where threads count side by side nobody waits: a value is two atomic additions in a place that
/// hardly ever is another thread's. What was never observed takes a pointer a place.
package final class HistogramTable: Sendable {
    package let buckets: Buckets
    private let series: Int
    // nonisolated(unsafe): set once; what it points to is atomic. One row of series for each shard.
    nonisolated(unsafe) private let places: UnsafeMutablePointer<Atomic<Cells?>>

    /// A count for each bucket, then the sum.
    private typealias Cells = UnsafeMutablePointer<Atomic<Int>>

    package init(_ buckets: Buckets, series: Int = 1) {
        self.buckets = buckets
        self.series = series
        places = .allocate(capacity: Shards.count * series)
        for index in 0..<Shards.count * series { (places + index).initialize(to: Atomic(nil)) }
    }

    deinit {
        for index in 0..<Shards.count * series {
            guard let cells = places[index].load(ordering: .acquiring) else { continue }
            cells.deinitialize(count: width)
            cells.deallocate()
        }
        places.deinitialize(count: Shards.count * series)
        places.deallocate()
    }

    package func observe(_ value: Int, in number: Int = 0) {
        precondition(0..<series ~= number)
        let place = Shards.current * series + number
        let cells = places[place].load(ordering: .acquiring) ?? makeCells(at: place)
        cells[buckets.index(of: value)].wrappingAdd(1, ordering: .relaxed)
        cells[width - 1].wrappingAdd(value, ordering: .relaxed)
    }

    /// nil where nothing was observed.
    package func total(of number: Int = 0) -> HistogramTotal? {
        precondition(0..<series ~= number)
        var total: HistogramTotal?
        for shard in 0..<Shards.count {
            guard let cells = places[shard * series + number].load(ordering: .acquiring) else { continue }
            var sum = total ?? HistogramTotal(counts: Array(repeating: 0, count: width - 1), sum: 0)
            for index in sum.counts.indices { sum.counts[index] += cells[index].load(ordering: .relaxed) }
            sum.sum += cells[width - 1].load(ordering: .relaxed)
            total = sum
        }
        return total
    }

    private var width: Int { buckets.bounds.count + 2 }

    private func makeCells(at place: Int) -> Cells {
        let cells = Cells.allocate(capacity: width)
        for index in 0..<width { (cells + index).initialize(to: Atomic(0)) }
        let (isOurs, present) = places[place].compareExchange(
            expected: nil, desired: cells, ordering: .acquiringAndReleasing)
        if isOurs { return cells }
        cells.deinitialize(count: width)
        cells.deallocate()
        return present ?? cells
    }
}
