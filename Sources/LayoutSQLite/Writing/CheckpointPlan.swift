/// When the write-ahead log is copied into the database: once it has grown to a bound, and again after each tenth of the
/// bound that it has grown since, for as long as a reader keeps SQLite from starting it anew.
package struct CheckpointPlan {
    private let bound: Int
    private var pagesThen = 0

    package init(bound: Int) { self.bound = bound }

    /// - Parameter pages: in the log, after a commit.
    package mutating func isDue(at pages: Int) -> Bool {
        if pages < pagesThen { pagesThen = 0 }
        guard pages >= bound, pagesThen == 0 || pages >= pagesThen + bound / 10 else { return false }
        pagesThen = pages
        return true
    }
}
