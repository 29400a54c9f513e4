import LayoutModel
import LayoutRecords

/// `erased`: which versions were used by users of whom nothing else is kept.
struct ErasedTable {
    private let select: Statement
    private let upsert: Statement

    init(_ connection: Connection) throws {
        select = try connection.prepare("SELECT version FROM erased WHERE digest = ?1")
        upsert = try connection.prepare(
            """
            INSERT INTO erased (digest, version) VALUES (?1, ?2)
            ON CONFLICT (digest) DO UPDATE SET version = max(version, excluded.version)
            """)
    }

    /// The version that this user's next one has to come after.
    func lastVersion(of user: UserID) throws -> Version {
        try select.first(ErasedDigest.of(user)) { $0.integer(0) } ?? 0
    }

    func note(_ version: Version, of user: UserID) throws { try upsert.run(ErasedDigest.of(user), version) }
}
