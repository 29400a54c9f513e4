import CSQLite
import CSystem

/// What all connections of the process share, said before the first of them.
private let isConfigured: Void = pegboard_configure(unsafeBitCast(system_read as Read, to: sqlite3_syscall_ptr.self))
private typealias Read = @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int

/// One connection to one database. Not `Sendable`: whoever holds it gives it a queue of its own.
package final class Connection {
    package enum Mode {
        case readWrite, readOnly
        /// Of a file that nobody changes meanwhile: no lock is taken and no log looked for or made.
        /// https://sqlite.org/uri.html#uriimmutable
        case immutable
    }

    // `@exclusivity(unchecked)`: every statement of a change touches these, on its owner's queue alone.
    /// Pages in the write-ahead log after the last commit of this connection; 0 until `countsWALPages`.
    @exclusivity(unchecked) package private(set) var walPages = 0
    package var isClosed: Bool { handle == nil }
    package let path: String

    /// How many pages the log's file has room for without getting longer, as far as `lengthenLog` has seen to it.
    @exclusivity(unchecked) private var logRoom = 0
    private static let logStep = 512
    /// A page in the log, with what stands before it. Of a database with other pages the log is given other room: no harm.
    private static let frame = 4_096 + 24

    @exclusivity(unchecked) private var handle: OpaquePointer?
    private var prepared: [OpaquePointer] = []
    private var whileWorking: @Sendable () -> Void = {}

    /// Opens a database that exists; `:memory:` makes a new one.
    package init(_ path: String, _ mode: Mode) throws {
        self.path = path
        isConfigured
        let access =
            switch mode {
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let name = mode == .immutable ? "file:\(Self.percentEncoded(path))?immutable=1" : path
        // NOMUTEX: its owner's queue is its lock. EXRESCODE: extended codes from the first call on.
        let code = sqlite3_open_v2(name, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK else {
            let error = error(code, in: "open")
            sqlite3_close(handle)
            handle = nil
            throw error
        }
    }

    deinit { try? close() }

    private static func percentEncoded(_ path: String) -> String {
        path.map { ["%": "%25", "?": "%3f", "#": "%23"][$0] ?? "\($0)" }.joined()
    }

    /// Makes `path` an empty database where there is none.
    package static func create(_ path: String) throws -> Connection {
        isConfigured
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        sqlite3_close(handle)
        guard code == SQLITE_OK else {
            throw SQLError(
                code: ResultCode(rawValue: code), systemError: 0, message: String(cString: sqlite3_errstr(code)),
                action: "create")
        }
        return try Connection(path, .readWrite)
    }

    package func prepare(_ sql: String) throws -> Statement {
        var statement: OpaquePointer?
        // PERSISTENT: it stays, so its memory is not taken from the few places kept for short-lived ones.
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code, in: sql) }
        prepared.append(statement)
        return Statement(statement, of: self)
    }

    /// Runs statements that take no values and whose rows nobody wants.
    package func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, in: sql) }
    }

    /// The first column of the first row of a statement that is not worth keeping, such as a PRAGMA.
    package func text(_ sql: String) throws -> String? {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code, in: sql) }
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return Row(statement: statement).optionalText(0)
        case SQLITE_DONE: return nil
        case let code: throw error(code, in: sql)
        }
    }

    package func integer(_ sql: String) throws -> Int { try text(sql).flatMap { Int($0) } ?? 0 }

    /// Rows that the last statement wrote.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Whether a BEGIN is still open. After some errors SQLite has rolled it back by itself.
    /// https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Keeps `walPages` up to date, and with it takes the place of automatic checkpoints: there is one hook for both.
    /// https://sqlite.org/c3ref/wal_hook.html
    package func countsWALPages() {
        _ = sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().walPages = Int(pages)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Calls `body` now and then during a long statement. https://sqlite.org/c3ref/progress_handler.html
    package func whileWorking(_ body: @escaping @Sendable () -> Void) {
        whileWorking = body
        sqlite3_progress_handler(
            handle, 5_000,
            { context in
                if let context { Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().whileWorking() }
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Gives the write-ahead log room before it is needed, where it is in use in earnest. What is written over makes the file
    /// no longer, and an `fdatasync` that has no new length to note leaves the file system's own records alone. Isolated
    /// commits find no room, and write what they must.
    ///
    /// - Parameter limit: in pages; beyond it the log is not lengthened.
    package func lengthenLog(upTo limit: Int) {
        guard walPages > 64, walPages + Self.logStep / 2 > logRoom, logRoom < limit else { return }
        let room = min(walPages + Self.logStep, limit)
        // Where that fails nothing is lost: the log grows as it is written.
        let code = pegboard_lengthen_log(handle, Int64(room * Self.frame))
        if code == SQLITE_OK { logRoom = room }
    }

    /// Leaves the write-ahead log as it is when this connection is closed, even if it is the last one.
    func leaveLogAlone() throws {
        let code = pegboard_no_checkpoint_on_close(handle)
        guard code == SQLITE_OK else { throw error(code, in: "no checkpoint on close") }
    }

    /// https://sqlite.org/c3ref/wal_checkpoint_v2.html
    package enum Checkpoint {
        /// Copies what it can without waiting for anyone.
        case passive
        /// Waits for readers, then also makes the log's file empty.
        case truncate
    }

    package func checkpoint(_ kind: Checkpoint) throws {
        let mode =
            switch kind {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
        guard code == SQLITE_OK else { throw error(code, in: "checkpoint") }
        if kind == .truncate {
            walPages = 0
            logRoom = 0
        }
    }

    /// - Throws: where something is still open, which would be our own bug.
    package func close() throws {
        guard let handle else { return }
        for statement in prepared { sqlite3_finalize(statement) }
        prepared = []
        let code = sqlite3_close(handle)
        guard code == SQLITE_OK else { throw error(code, in: "close") }
        self.handle = nil
    }

    func error(_ code: Int32, in action: String) -> SQLError {
        SQLError(
            code: ResultCode(rawValue: code), systemError: sqlite3_system_errno(handle),
            message: String(cString: sqlite3_errmsg(handle)), action: action)
    }
}
