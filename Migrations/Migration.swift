import CZlib

/// One step of a database's schema: forward only, and as it was once released, for ever.
package struct Migration: Sendable {
    /// 1, 2, 3 … without gaps.
    package let version: Int
    /// What the step does, from the file's name: `layouts`.
    package let name: String
    package let sql: [UInt8]

    package init(version: Int, name: String, sql: [UInt8]) {
        self.version = version
        self.name = name
        self.sql = sql
    }
}

extension Migration {
    /// Tells the released text from a changed one.
    package var checksum: Int64 {
        sql.withUnsafeBufferPointer { Int64(crc32(crc32(0, nil, 0), $0.baseAddress, UInt32($0.count))) }
    }
}
