/// What `GroupCommit` is told; see `SQLiteLayoutStore.Configuration`.
struct WriteSettings: Sendable {
    let waitingLimit: Int
    /// Bounds how long a transaction takes, and so the longest wait behind one.
    let batchLimit = 512
    let checkpointPages: Int
    let quietSeconds: Double
    let onCommit: @Sendable (CommitReport) -> Void
    let answersBeforeCommit: Bool
}
