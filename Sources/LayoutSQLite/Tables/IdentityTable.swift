import LayoutModel

/// `identity`: the one row that says which database this is.
struct IdentityTable {
    private let select: Statement
    private let start: Statement
    private let raise: Statement

    struct Identity: Equatable, Sendable {
        let id: String
        let versionFloor: Version
    }

    init(_ connection: Connection) throws {
        select = try connection.prepare("SELECT id, version_floor FROM identity WHERE one = 1")
        raise = try connection.prepare("UPDATE identity SET version_floor = ?1 WHERE one = 1 AND version_floor < ?1")
        // Another value each time: SQLite leaves the disk alone where a row comes out as it was.
        start = try connection.prepare(
            "UPDATE identity SET started_at = max(unixepoch() * 1000, started_at + 1) WHERE one = 1")
    }

    /// Nil where the row is missing: then the file is no whole database.
    func identity() throws -> Identity? {
        try select.first { Identity(id: $0.text(0), versionFloor: $0.integer(1)) }
    }

    func raiseFloor(to version: Version) throws { try raise.run(version) }

    /// The write that proves that writing works.
    func markStart() throws { try start.run() }
}
