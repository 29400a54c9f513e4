import LayoutApplication
import LayoutModel
import LayoutRecords

/// `layouts`: the newest version of each user.
struct LayoutTable {
    private let select: Statement
    private let update: Statement
    private let insert: Statement
    private let page: Statement
    private let erase: Statement
    private let exists: Statement
    private let isLost: Statement

    init(_ connection: Connection) throws {
        select = try connection.prepare(
            "SELECT version, items, locked, updated_at, checksum FROM layouts WHERE user_id = ?1")
        page = try connection.prepare(
            """
            SELECT version, items, locked, updated_at, checksum, user_id FROM layouts
            WHERE user_id > ?1 ORDER BY user_id LIMIT ?2
            """)
        erase = try connection.prepare("DELETE FROM layouts WHERE user_id = ?1 RETURNING version")
        exists = try connection.prepare("SELECT 1 FROM layouts WHERE user_id = ?1")
        // Both tables in one statement, which sees one state of them: the first change may come just before it.
        isLost = try connection.prepare(
            """
            SELECT 1 FROM revisions WHERE user_id = ?1
            AND NOT EXISTS (SELECT 1 FROM layouts WHERE user_id = ?1) LIMIT 1
            """)
        // Of the same length, the row is written over where it stands. A REPLACE would take it out and put it in again, where
        // SQLite is built with its pre-update hook, as Debian's: two pages, if it stands in an inner page of the tree.
        update = try connection.prepare(
            """
            UPDATE layouts SET version = ?2, items = ?3, locked = ?4, updated_at = ?5, checksum = ?6 WHERE user_id = ?1
            """)
        insert = try connection.prepare(
            """
            INSERT INTO layouts (user_id, version, items, locked, updated_at, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
    }

    /// `StoredLayout.never` where there is no row.
    ///
    /// - Throws: `StoreError.damaged`.
    func layout(of user: UserID) throws -> StoredLayout {
        let layout = try select.first(user.text) { try Self.layout(of: user, $0) }
        if let layout { return layout }
        let isLost = try isLost.first(user.text) { $0.bool(0) } ?? false
        guard !isLost || DamageFault.isIgnored else { throw LayoutRow.lost(user) }
        return .never
    }

    /// In the order of the ids' bytes, those after `user`.
    ///
    /// - Throws: `StoreError.damaged` where one of them is: whoever works over all users must not pass over one unseen.
    func layouts(after user: UserID?, limit: Int) throws -> [(user: UserID, layout: StoredLayout)] {
        // SQLite takes a negative limit for none.
        try page.all(user?.text ?? "", max(limit, 0)) { row in
            guard let user = UserID(stored: row.text(5)) else {
                throw StoreError.damaged(what: "a layout without a user")
            }
            return (user, try Self.layout(of: user, row))
        }
    }

    /// Whether there is a row, damaged or not.
    func holds(_ user: UserID) throws -> Bool { try exists.first(user.text) { _ in true } ?? false }

    /// Deletes the row, damaged or not.
    ///
    /// - Returns: its version as it stands there; nil where there was none.
    func erase(_ user: UserID) throws -> Version? { try erase.first(user.text) { $0.integer(0) } }

    /// Of a row that begins as those of `select`.
    static func layout(of user: UserID, _ row: Row) throws -> StoredLayout {
        try LayoutRow(
            version: row.integer(0), items: row.optionalText(1), locked: row.bool(2), updatedAt: row.integer(3),
            checksum: row.integer(4)
        ).layout(of: user)
    }

    func put(_ row: LayoutRow, of user: UserID) throws {
        let written = try update.changes(user.text, row.version, row.items, row.locked, row.updatedAt, row.checksum)
        if written == 0 {
            try insert.run(user.text, row.version, row.items, row.locked, row.updatedAt, row.checksum)
        }
    }
}
