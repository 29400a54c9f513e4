import LayoutApplication
import LayoutModel

/// One transaction, while changes are made in it one after another: what each of them sees, and what they did so far.
final class WriteTransaction {
    let tables: Tables
    let versionFloor: Version
    /// The layouts that have a new version, to go into the cache once that is durable.
    private(set) var changed: [UserID: StoredLayout] = [:]
    /// Every change, in the order in which they were made.
    private(set) var changes: [ChangeFeed.Change] = []
    private(set) var hasWritten = false

    private let connection: Connection
    private let statements: TransactionStatements
    private let cache: LayoutCache

    init(
        on connection: Connection, _ tables: Tables, _ statements: TransactionStatements, cache: LayoutCache,
        versionFloor: Version
    ) {
        self.connection = connection
        self.tables = tables
        self.statements = statements
        self.cache = cache
        self.versionFloor = versionFloor
    }

    /// The user's layout as the changes before this one left it. What is in the cache is the newest durable one: between
    /// two transactions nobody else makes any.
    func layout(of user: UserID) throws -> StoredLayout {
        try changed[user] ?? cache.peek(at: user)?.layout ?? tables.layouts.layout(of: user)
    }

    /// Writes for one change: all that `body` does, or nothing of it.
    func write<Result>(_ body: () throws -> Result) throws -> Result {
        hasWritten = true
        try statements.savepoint.run()
        do {
            let result = try body()
            try statements.release.run()
            return result
        } catch {
            if connection.isInTransaction { takeBack() }
            throw error
        }
    }

    func note(_ layout: StoredLayout, of user: UserID, origin: String) {
        changed[user] = layout
        changes.append(ChangeFeed.Change(user: user, layout: layout, origin: origin))
    }

    /// Takes the change back; where that fails too, everything: half a change must not reach COMMIT. `GroupCommit` sees a
    /// transaction that is gone.
    private func takeBack() {
        do {
            try statements.rollbackToSavepoint.run()
            try statements.release.run()
        } catch { try? statements.rollback.run() }
    }
}

struct TransactionStatements {
    let begin: Statement
    let commit: Statement
    let rollback: Statement
    let savepoint: Statement
    let release: Statement
    let rollbackToSavepoint: Statement

    init(_ connection: Connection) throws {
        // IMMEDIATE: a transaction that begins with a read and then writes can be refused whatever the timeout is.
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        savepoint = try connection.prepare("SAVEPOINT change")
        release = try connection.prepare("RELEASE change")
        rollbackToSavepoint = try connection.prepare("ROLLBACK TO change")
    }
}
