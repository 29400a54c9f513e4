import CSystem
import Synchronization

/// A connection that reads: on its own queue for those who may wait, on the caller's thread for those who must not.
///
/// Of the latter the reads of one thread share a transaction, from the first to `endReads`, for as long as nothing is
/// committed: to begin and to end one is to lock and unlock the file, which cost a tenth of a layout's answer.
final class Reader: @unchecked Sendable {
    // @unchecked: `shown` and the statements are touched by whoever has the connection alone, on its queue or under the lock
    // that `useAtOnce` takes; see `ConnectionQueue`.
    private let home: ConnectionQueue
    private let commits: CommitCount
    private let begin: Statement
    private let end: Statement
    /// What the open transaction shows; nil where none is open.
    private var shown: CommitCount.Mark?
    /// The thread that read last without waiting. It ends what it began, unless another one has read since.
    private let lastThread = Atomic<Int32>(-1)

    init(_ home: ConnectionQueue, commits: CommitCount) throws {
        self.home = home
        self.commits = commits
        begin = try home.connection.prepare("BEGIN")
        end = try home.connection.prepare("COMMIT")
    }

    func hasServed(_ thread: Int32) -> Bool { lastThread.load(ordering: .relaxed) == thread }

    /// See `ReaderPool`.
    ///
    /// - Parameter sharing: whether the transaction stays open for the next read; see `endReads`.
    func readAtOnce<Result>(on thread: Int32, sharing: Bool, _ body: (Tables) throws -> Result) -> Result? {
        home.useAtOnce {
            lastThread.store(thread, ordering: .relaxed)
            system_wait_for_reads(0)
            defer { system_wait_for_reads(1) }
            guard sharing else { return try body(home.tables) }
            do {
                try beginIfOutdated()
                return try body(home.tables)
            } catch {
                // SQLite may have ended it by itself.
                endTransaction()
                throw error
            }
        }
    }

    /// What waits for its turn on the queue comes between those reads, and must see what is newest.
    func read<Result: Sendable>(_ body: @escaping @Sendable (Tables) throws -> Result) async throws -> Result {
        try await home.perform { [self] home in
            endTransaction()
            return try body(home.tables)
        }
    }

    /// Ends what `readAtOnce` has left open for the thread.
    func endReads(on thread: Int32) {
        // Where somebody else has the connection it is theirs to end.
        if hasServed(thread) { _ = home.useAtOnce { endTransaction() } }
    }

    private func beginIfOutdated() throws {
        let newest = commits.mark
        if let shown, shown == newest { return }
        endTransaction()
        // While a commit is under way, each read looks for itself.
        guard let newest else { return }
        try begin.run()
        shown = newest
    }

    private func endTransaction() {
        guard shown != nil else { return }
        shown = nil
        if home.connection.isInTransaction { try? end.run() }
    }

    /// How often a damaged row was met.
    var damaged: Int { home.damaged }

    func close() async { await home.close() }
}
