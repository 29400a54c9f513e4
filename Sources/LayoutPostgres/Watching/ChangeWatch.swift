import LayoutApplication
import LayoutModel
import LayoutRecords

/// Looks for what other servers changed: every half second one statement over all users who are watched here, and none where
/// nobody is. The catalog in force is looked at with it.
///
/// LISTEN would tell at once, and does not pass through PgBouncer's transaction mode or exist in the distributed engines.
struct ChangeWatch: Sendable {
    private let task: Task<Void, Never>

    static let pause = Duration.milliseconds(500)
    /// Users a statement: a few milliseconds of the server.
    private static let width = 1_000

    init(pool: ConnectionPool, teller: Teller, catalogs: CatalogNews) {
        task = Task.detached(priority: .utility) {
            while (try? await Task.sleep(for: Self.pause)) != nil {
                // What fails is looked for again.
                try? await Self.look(pool, teller, catalogs)
            }
        }
    }

    /// Returns once nothing of it is under way.
    func stop() async {
        task.cancel()
        await task.value
    }

    private static func look(_ pool: ConnectionPool, _ teller: Teller, _ catalogs: CatalogNews) async throws {
        try await pool.perform { connection, deadline in
            let rows = try connection.read("SELECT max(revision) FROM catalogs", by: deadline)
            try catalogs.notice(Int(rows.first?.integer(0) ?? 0), on: connection, by: deadline)
        }
        let watched = teller.watched()
        for start in stride(from: 0, to: watched.count, by: width) {
            let some = Array(watched[start..<min(start + width, watched.count)])
            teller.tell(found: try await pool.perform { try changes(of: some, on: $0, by: $1) })
        }
    }

    /// Of those who are at another version than the one told.
    private static func changes(
        of watched: [(user: UserID, told: Version)], on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> [(change: ChangeFeed.Change, told: Version)] {
        let rows = try connection.read(
            """
            SELECT l.version, l.items, l.locked, l.updated_at, l.checksum, a.user_id, a.told, r.origin
            FROM unnest($1, $2) AS a (user_id, told)
            LEFT JOIN layouts AS l ON l.user_id = a.user_id
            LEFT JOIN revisions AS r ON r.user_id = l.user_id AND r.version = l.version
            WHERE coalesce(l.version, 0) <> a.told
            """, [.texts(watched.map(\.user.text)), .integers(watched.map(\.told))], by: deadline)
        return rows.map { row in
            guard let user = UserID(stored: row.text(5)),
                // Whoever reads a damaged layout is told so; here it is passed over.
                let found = try? LayoutTable.find(user, row, isLost: false)
            else { return nil }
            return (ChangeFeed.Change(user: user, layout: found.layout, origin: row.text(7)), row.integer(6))
        }.compactMap { $0 }
    }
}
