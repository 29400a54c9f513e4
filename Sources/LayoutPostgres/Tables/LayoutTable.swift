import LayoutApplication
import LayoutModel
import LayoutRecords

/// `layouts`: the newest version of each user.
enum LayoutTable {
    /// A layout with the row that it stands in, where it has one.
    typealias Found = (layout: StoredLayout, row: LayoutRow?)

    /// The layouts of many users, and the revision of the catalog in force beside them.
    ///
    /// - Throws: `Setback`. What is damaged is one user's failure, and not that of the others.
    static func layouts(
        of users: [UserID], on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> (layouts: [Result<Found, any Error>], catalog: Int) {
        // A layout never is without history; both tables in one statement, which sees one state of them.
        let rows = try connection.read(
            """
            SELECT l.version, l.items, l.locked, l.updated_at, l.checksum,
                l.user_id IS NULL AND EXISTS (SELECT 1 FROM revisions AS r WHERE r.user_id = a.user_id),
                (SELECT max(revision) FROM catalogs)
            FROM unnest($1) WITH ORDINALITY AS a (user_id, place)
            LEFT JOIN layouts AS l ON l.user_id = a.user_id
            ORDER BY a.place
            """, [.texts(users.map(\.text))], by: deadline)
        var place = 0
        let layouts = rows.map { row in
            defer { place += 1 }
            let user = users[place]
            return Result { try find(user, row, isLost: row.bool(5)) }
        }
        return (layouts, Int(rows.first?.integer(6) ?? 0))
    }

    /// In the order of the ids' bytes, those after `user`.
    ///
    /// - Throws: `StoreError.damaged` where one of them is: whoever works over all users must not pass over one unseen.
    static func page(
        after user: UserID?, limit: Int, on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> [(user: UserID, layout: StoredLayout)] {
        let rows = try connection.read(
            """
            SELECT version, items, locked, updated_at, checksum, user_id FROM layouts
            WHERE user_id > $1 ORDER BY user_id LIMIT $2
            """, [.text(user?.text ?? ""), .integer(Int64(max(limit, 0)))], by: deadline)
        return try rows.map { row in
            guard let user = UserID(stored: row.text(5)) else {
                throw StoreError.damaged(what: "a layout without a user")
            }
            return (user, try self.row(row).layout(of: user))
        }
    }

    /// Of a row that begins as those of `layouts`; `StoredLayout.never` where it is empty.
    ///
    /// - Throws: `StoreError.damaged`.
    static func find(_ user: UserID, _ row: Rows.Row, isLost: Bool) throws -> Found {
        guard row.isNull(0) else {
            let row = self.row(row)
            return (try row.layout(of: user), row)
        }
        guard !isLost || DamageFault.isIgnored else { throw LayoutRow.lost(user) }
        return (.never, nil)
    }

    static func row(_ row: Rows.Row) -> LayoutRow {
        LayoutRow(
            version: row.integer(0), items: row.optionalText(1), locked: row.bool(2), updatedAt: row.integer(3),
            checksum: row.integer(4))
    }
}
