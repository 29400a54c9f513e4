import CSQLite

/// What a column can hold: it binds itself to a statement.
package protocol SQLValue {
    /// - Parameter index: from 1.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int64: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self)
    }
}

extension Int: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        Int64(self).bind(to: statement, at: index)
    }
}

extension Bool: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        Int64(self ? 1 : 0).bind(to: statement, at: index)
    }
}

extension String: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { pegboard_bind_text(statement, index, $0.baseAddress, Int32($0.count)) }
    }
}

extension [UInt8]: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        withUnsafeBytes { bytes in
            // An empty array's address may be nil, and a nil blob would be NULL.
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(statement, index, 0)
                : pegboard_bind_blob(statement, index, bytes.baseAddress, Int32(bytes.count))
        }
    }
}

extension Optional: SQLValue where Wrapped: SQLValue {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        self?.bind(to: statement, at: index) ?? sqlite3_bind_null(statement, index)
    }
}
