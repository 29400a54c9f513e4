import CSQLite

/// One statement, prepared once. Every use ends with it reset and its values let go: a statement left on a row holds a read
/// transaction open, and with it the whole write-ahead log.
package final class Statement {
    private let connection: Connection
    private let handle: OpaquePointer

    /// `handle` is finalized by `connection`.
    init(_ handle: OpaquePointer, of connection: Connection) {
        self.handle = handle
        self.connection = connection
    }

    /// Runs it for its effect. `values` are ?1, ?2 … in order.
    package func run<each Value: SQLValue>(_ values: repeat each Value) throws {
        try withBound(repeat each values) { _ = try step() }
    }

    /// Runs it for its effect.
    ///
    /// - Returns: how many rows it wrote.
    package func changes<each Value: SQLValue>(_ values: repeat each Value) throws -> Int {
        try withBound(repeat each values) {
            _ = try step()
            return connection.changes
        }
    }

    /// What `read` makes of the first row, or nil where there is none.
    package func first<Result, each Value: SQLValue>(
        _ values: repeat each Value, read: (Row) throws -> Result
    ) throws -> Result? {
        try withBound(repeat each values) { try step() ? read(Row(statement: handle)) : nil }
    }

    package func all<Result, each Value: SQLValue>(
        _ values: repeat each Value, read: (Row) throws -> Result
    ) throws -> [Result] {
        try withBound(repeat each values) {
            var results: [Result] = []
            while try step() { results.append(try read(Row(statement: handle))) }
            return results
        }
    }

    /// Calls `body` with each row, one after the other.
    package func each<each Value: SQLValue>(_ values: repeat each Value, body: (Row) throws -> Void) throws {
        try withBound(repeat each values) { while try step() { try body(Row(statement: handle)) } }
    }

    private func withBound<Result, each Value: SQLValue>(
        _ values: repeat each Value, body: () throws -> Result
    ) throws -> Result {
        precondition(!connection.isClosed, "a statement outlived its connection")
        // What `step` failed with is thrown by `step`; `sqlite3_reset` only says it again.
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        var index: Int32 = 0
        for value in repeat each values {
            index += 1
            try check(value.bind(to: handle, at: index))
        }
        return try body()
    }

    /// - Returns: whether it stands on a row now.
    private func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw connection.error(code, in: sql)
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw connection.error(code, in: sql) }
    }

    private var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }
}
