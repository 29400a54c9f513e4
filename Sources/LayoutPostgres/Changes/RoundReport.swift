/// How one round of changes was written; for metrics and the log.
package struct RoundReport: Sendable {
    package let changes: Int
    package let duration: Duration
    /// What the storage said, where it refused.
    package let failure: String?
}
