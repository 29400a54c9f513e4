package import LayoutApplication
package import LayoutModel
import LayoutRecords

/// What a database that was recovered to an earlier moment needs before it is used: its versions and catalogs are counted
/// on from above everything that was handed out after that moment, as `pegboard restore` does for SQLite. See `VersionFloor`.
package enum Renumbering {
    package struct Summary: Sendable {
        package let versionFloor: Version
        /// nil where none was published yet.
        package let catalogRevision: Int?
    }

    /// - Parameter renumber: the same catalog under another number, which is then the newest.
    /// - Throws: `PostgresOpenError`. It can be repeated, and raises the numbers again each time.
    package static func run(
        on pool: ConnectionPool, at now: Timestamp,
        renumber: @escaping @Sendable (CatalogRecord, Int, Timestamp) throws -> CatalogRecord
    ) async throws(PostgresOpenError) -> Summary {
        try await PostgresSchema(pool: pool, clock: { now }).requireNewest()
        return try await PostgresOpenError.telling {
            Summary(
                versionFloor: try await pool.perform { try raiseFloor(at: now, on: $0, by: $1) },
                catalogRevision: try await pool.perform { connection, deadline in
                    guard let current = try CatalogTable.current(on: connection, by: deadline) else { return nil }
                    let revision = VersionFloor.catalogRevision(after: current.summary.revision, at: now)
                    let next = try renumber(current, revision, now)
                    guard try CatalogTable.add(next, on: connection, by: deadline) else {
                        throw PostgresOpenError.refused(
                            reason: "somebody published a catalog meanwhile; once more, please")
                    }
                    return revision
                })
        }
    }

    private static func raiseFloor(
        at now: Timestamp, on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> Version {
        let known = try connection.read("SELECT version_floor FROM identity WHERE one = 1", by: deadline)
        guard let known = known.first?.integer(0) else {
            throw StoreError.damaged(what: "the row of identity is missing")
        }
        let floor = VersionFloor.after(known, at: now)
        _ = try connection.write(
            "UPDATE identity SET version_floor = greatest(version_floor, $1) WHERE one = 1", [.integer(floor)],
            by: deadline)
        return floor
    }
}
