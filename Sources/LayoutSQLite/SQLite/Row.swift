import CSQLite

/// The row a statement stands on. Columns count from 0; it must not outlive the closure it was given to.
package struct Row {
    let statement: OpaquePointer

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    package func optionalInteger(_ column: Int32) -> Int64? {
        sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : integer(column)
    }

    package func bool(_ column: Int32) -> Bool { integer(column) != 0 }

    package func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    package func optionalText(_ column: Int32) -> String? {
        // https://sqlite.org/c3ref/column_blob.html: the text first, then its length.
        guard let start = sqlite3_column_text(statement, column) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    package func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, column) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, column))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}
