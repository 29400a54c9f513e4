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
