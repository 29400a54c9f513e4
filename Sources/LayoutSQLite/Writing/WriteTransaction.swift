import LayoutApplication
import LayoutModel

/// The transaction under way, in which changes are made one after another: what each of them sees, and what they did so far.
/// One object for all of them, which keeps its memory.
final class WriteTransaction {
    let tables: Tables
    let versionFloor: Version

    // `@exclusivity(unchecked)`, here and in `PendingChange`: each change touches them several times, on one thread, and
    // nothing that is called meanwhile comes back here.
    /// The layouts that have a new version, to go into the cache once that is durable.
    @exclusivity(unchecked) private(set) var changed: [UserID: StoredLayout] = [:]
    /// Every change, in the order in which they were made.
    @exclusivity(unchecked) private(set) var changes: [ChangeFeed.Change] = []
    @exclusivity(unchecked) private(set) var hasWritten = false
    /// Whether a change ended before it had written all that it wanted to: then this transaction must not reach COMMIT.
    @exclusivity(unchecked) private(set) var isHalfWritten = false

    private let cache: LayoutCache

    init(_ tables: Tables, cache: LayoutCache, versionFloor: Version) {
        self.tables = tables
        self.cache = cache
        self.versionFloor = versionFloor
    }

    /// Nothing has been done yet.
    func begin() {
        changed.removeAll(keepingCapacity: true)
        changes.removeAll(keepingCapacity: true)
        hasWritten = false
        isHalfWritten = false
    }

    /// The user's layout as the changes before this one left it. What is in the cache is the newest durable one: between
    /// two transactions nobody else makes any.
    func layout(of user: UserID) throws -> StoredLayout {
        try changed[user] ?? cache.peek(at: user)?.layout ?? tables.layouts.layout(of: user)
    }

    /// The same; nil where it is damaged.
    func undamagedLayout(of user: UserID) throws -> StoredLayout? {
        do { return try layout(of: user) } catch StoreError.damaged { return nil }
    }

    /// Writes for one change: all that `body` does, or nothing of it. No savepoint for each change, which would copy every
    /// page that it writes to: see `GroupCommit` for the change that fails.
    func write<Result>(_ body: () throws -> Result) throws -> Result {
        hasWritten = true
        isHalfWritten = true
        let result = try body()
        isHalfWritten = false
        return result
    }

    func note(_ layout: StoredLayout, of user: UserID, origin: String) {
        changed[user] = layout
        changes.append(ChangeFeed.Change(user: user, layout: layout, origin: origin))
    }
}

struct TransactionStatements {
    let begin: Statement
    let commit: Statement
    let rollback: Statement

    init(_ connection: Connection) throws {
        // IMMEDIATE: a transaction that begins with a read and then writes can be refused whatever the timeout is.
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
    }
}
