internal import HTTP1

/// When to look at which connection again.
///
/// Lazily kept: a deadline that moves later is not touched here; when its old time comes, the connection is asked and put
/// back. Since nobody is put further ahead than `horizon`, the entries of closed connections are gone by then, too.
/// A heap: adding and taking cost the logarithm of the number of entries.
struct Deadlines {
    struct Entry {
        var instant: Instant
        var token: UInt64
    }

    /// In nanoseconds.
    static let horizon: Int64 = 5_000_000_000

    private var heap: [Entry] = []

    var next: Instant? { heap.first?.instant }

    mutating func add(_ token: UInt64, at instant: Instant) {
        heap.append(Entry(instant: instant, token: token))
        var child = heap.count - 1
        while child > 0, heap[child].instant < heap[(child - 1) / 2].instant {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes one whose time has come.
    mutating func popDue(at now: Instant) -> Entry? {
        guard let first = heap.first, first.instant <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while let child = smallerChild(of: parent), heap[child].instant < heap[parent].instant {
            heap.swapAt(parent, child)
            parent = child
        }
        return first
    }

    private func smallerChild(of parent: Int) -> Int? {
        let left = 2 * parent + 1
        guard left < heap.count else { return nil }
        return left + 1 < heap.count && heap[left + 1].instant < heap[left].instant ? left + 1 : left
    }
}
