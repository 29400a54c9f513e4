import Synchronization

/// Counts the commits, for those who keep a read transaction open: what it shows is the newest as long as none has begun.
package final class CommitCount: Sendable {
    /// Odd while a commit is under way.
    private let count = Atomic<UInt>(0)

    package init() {}

    /// Stands for all that was committed when it was taken.
    package struct Mark: Equatable { fileprivate let count: UInt }

    /// To be taken before what it stands for is read; nil while a commit is under way, which some readers see and some don't.
    package var mark: Mark? {
        let count = count.load(ordering: .sequentiallyConsistent)
        return count.isMultiple(of: 2) ? Mark(count: count) : nil
    }

    /// Before a COMMIT. By the writer alone, as `commitEnds`.
    package func commitBegins() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// After it, whatever became of it, and before anybody is answered.
    package func commitEnds() { count.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}
