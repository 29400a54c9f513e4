import LayoutApplication
import LayoutModel
import LayoutRecords

/// What one change has to write.
struct ChangeWrite {
    let user: UserID
    /// The row that it was decided on; nil where the user had none.
    let before: LayoutRow?
    let change: (layout: LayoutRow, revision: RevisionRow)?
    let record: (row: RequestRow, notBefore: Timestamp)?

    /// The row that there is once it is written; nil where there is none, as there was none before.
    var after: LayoutRow? { change?.layout ?? before }
}

/// Writes the changes of many users, each user's as a whole or not at all, in one statement: one round trip, one transaction
/// and one commit.
///
/// A change is made where all is as it was when it was decided: its layout is still the row that it was decided on (compare
/// and set), no newer catalog is in force, the floor is below its version, its request was not answered. Its history row and
/// its record follow from that. Of the row, version and checksum are compared: a version has one content, unless a database
/// lost its last changes in a failover, and others were made in their place.
///
/// Where another server records the same request at the same moment, two answers to it would stand side by side: then the
/// statement fails (a division by zero), and nothing of it is done.
enum ChangeStatement {
    /// - Returns: what was done: whose layout was changed, and whose record was made.
    /// - Throws: `Setback`; with SQLSTATE 22012 where a request turned out to have been answered.
    static func run(
        _ writes: [ChangeWrite], under catalog: Int, historyKept: Int, on connection: Connection,
        by deadline: ContinuousClock.Instant
    ) throws -> (changed: Set<UserID>, recorded: Set<UserID>) {
        let (changes, records) = (writes.filter { $0.change != nil }, writes.filter { $0.record != nil })
        let shape = Shape(
            changes: .init(changes.count), records: .init(records.count), begins: changes.contains { $0.before == nil },
            drops: changes.contains { $0.change.map { $0.layout.version > historyKept } ?? false })
        let rows = try connection.commit(
            texts[shape] ?? text(of: shape), parameters(changes, records, under: catalog, historyKept: historyKept),
            by: deadline)
        var (changed, recorded): (Set<UserID>, Set<UserID>) = ([], [])
        _ = rows.map { row in
            guard let user = UserID(stored: row.text(0)) else { return }
            if row.bool(1) { changed.insert(user) } else { recorded.insert(user) }
        }
        return (changed, recorded)
    }

    private static let changeColumns = [
        "user_id", "before", "before_checksum", "version", "items", "locked", "kind", "origin", "actor", "made_at",
        "layout_checksum", "revision_checksum", "digest",
    ]
    private static let requestColumns = [
        "user_id", "scope", "key", "fingerprint", "status", "entity_tag", "content", "created_at", "checksum",
        "not_before", "comes_with_change",
    ]

    /// What stands behind FROM for the statement's own rows. One row is planned as the values that it is, and carried out in two
    /// thirds of the time that a list of one takes.
    private static func rows(_ count: Shape.Count, of columns: [String], from first: Int) -> String {
        let values = columns.indices.map { "$\($0 + first)" }
        guard count == .one else {
            return "unnest(\(values.joined(separator: ", "))) AS c (\(columns.joined(separator: ", ")))"
        }
        return "(SELECT \(zip(values, columns).map { "\($0) AS \($1)" }.joined(separator: ", "))) AS c"
    }

    /// What there is to write, by which statements differ: only the parts that there is something for are in them. To plan them
    /// all would take longer than to carry out what most rounds have to write.
    private struct Shape: Hashable {
        var changes: Count
        var records: Count
        /// Whether there are users who had no layout, and such as have more history than is kept.
        var begins: Bool
        var drops: Bool

        enum Count: CaseIterable {
            case none, one, many
            init(_ count: Int) { self = count == 0 ? .none : count == 1 ? .one : .many }
        }

        static let all = Count.allCases.flatMap { changes in
            Count.allCases.flatMap { records in
                [false, true].flatMap { begins in
                    [false, true].map { Shape(changes: changes, records: records, begins: begins, drops: $0) }
                }
            }
        }
    }

    private static let texts = Dictionary(uniqueKeysWithValues: Shape.all.map { ($0, text(of: $0)) })

    /// Parameters that no part mentions are passed over, or not sent at all: each costs the database something.
    private static func text(of shape: Shape) -> String {
        let records = shape.records != .none
        return """
            WITH \(records ? "request AS (SELECT * FROM \(rows(shape.records, of: requestColumns, from: 16))), " : "")change AS (
                SELECT * FROM \(rows(shape.changes, of: changeColumns, from: 3))
                WHERE NOT EXISTS (SELECT 1 FROM catalogs WHERE revision > $1)
                    AND version > (SELECT version_floor FROM identity WHERE one = 1)
                    \(records ? "AND NOT EXISTS (\(answered))" : "")
            ), \(shape.begins ? "moved" : "won") AS (
                UPDATE layouts AS l SET version = c.version, items = c.items, locked = c.locked, updated_at = c.made_at,
                    checksum = c.layout_checksum
                FROM change AS c
                WHERE l.user_id = c.user_id AND l.version = c.before AND l.checksum = c.before_checksum
                RETURNING c.*
            )\(shape.begins ? beginning : ""), added AS (
                INSERT INTO revisions (user_id, version, items, locked, kind, origin, actor, created_at, checksum)
                SELECT user_id, version, items, locked, kind, origin, actor, made_at, revision_checksum FROM won
            )\(shape.drops ? dropping : "")\(records ? recording : "")
            SELECT user_id, TRUE FROM won\(records ? recordingResult : "")
            """
    }

    /// A user's first layout is inserted only where no version of theirs was used and erased in between. What this statement
    /// sees is as old as its beginning; a row that it would insert and finds there is the newest, and stays as it is until the
    /// commit. So everybody who begins has a row among the erased, of version 0 where nobody was. A layout that is there as the
    /// statement begins must not be begun beside it: were it erased meanwhile, the versions it had would not be seen.
    private static let beginning = """
        , unused AS (
            INSERT INTO erased AS e (digest, version) SELECT DISTINCT digest, 0 FROM change WHERE before = 0
            ON CONFLICT (digest) DO UPDATE SET version = e.version
            WHERE e.version < (SELECT min(c.version) FROM change AS c WHERE c.before = 0 AND c.digest = e.digest)
            RETURNING digest
        ), begun AS (
            INSERT INTO layouts (user_id, version, items, locked, updated_at, checksum)
            SELECT user_id, version, items, locked, made_at, layout_checksum FROM change
            WHERE before = 0 AND digest IN (SELECT digest FROM unused)
                AND NOT EXISTS (SELECT 1 FROM layouts AS l WHERE l.user_id = change.user_id)
            ON CONFLICT (user_id) DO NOTHING
            RETURNING user_id
        ), won AS (
            SELECT * FROM moved UNION ALL SELECT c.* FROM change AS c JOIN begun ON begun.user_id = c.user_id
        )
        """

    /// The history is cut by count and not by `version - count`: a restore leaves a gap between two versions, and must not
    /// cost a user the history before it. The statement doesn't see the row that it adds, so one fewer is kept of the others.
    /// Where the version that is due is there, nothing is missing after it, and it need not be counted: a quarter of all that
    /// a change costs whose history is full.
    private static let dropping = """
        , dropped AS (
            DELETE FROM revisions AS r USING won
            WHERE r.user_id = won.user_id AND won.version > $2 AND r.version <= CASE
                WHEN EXISTS (SELECT 1 FROM revisions AS o
                    WHERE o.user_id = won.user_id AND o.version = won.version - $2)
                THEN won.version - $2
                ELSE (SELECT o.version FROM revisions AS o WHERE o.user_id = won.user_id
                    ORDER BY o.version DESC LIMIT 1 OFFSET $2 - 1) END
        )
        """

    private static let answered = """
        SELECT 1 FROM request AS r JOIN idempotency AS i
            ON i.user_id = r.user_id AND i.scope = r.scope AND i.key = r.key AND i.created_at >= r.not_before
        WHERE r.user_id = c.user_id
        """

    private static let recording = """
        , recorded AS (
            INSERT INTO idempotency AS i
                (user_id, scope, key, fingerprint, status, entity_tag, content, created_at, checksum)
            SELECT user_id, scope, key, fingerprint, status, entity_tag, content, created_at, checksum FROM request
            WHERE NOT comes_with_change OR user_id IN (SELECT user_id FROM won)
            ON CONFLICT (user_id, scope, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
                entity_tag = excluded.entity_tag, content = excluded.content, created_at = excluded.created_at,
                checksum = excluded.checksum
            WHERE i.created_at < (SELECT r.not_before FROM request AS r WHERE r.user_id = i.user_id)
            RETURNING user_id
        )
        """

    private static let recordingResult = """
         UNION ALL SELECT user_id, FALSE FROM recorded
        UNION ALL SELECT user_id, 1 / (length(user_id) * 0) = 0 FROM request
            WHERE comes_with_change AND user_id IN (SELECT user_id FROM won)
            AND user_id NOT IN (SELECT user_id FROM recorded)
        """

    private static func parameters(
        _ changing: [ChangeWrite], _ recording: [ChangeWrite], under catalog: Int, historyKept: Int
    ) -> [Parameter] {
        let changes = changing.compactMap { write in
            write.change.map { (write.user, write.before, $0.layout, $0.revision) }
        }
        let records = recording.compactMap { write in
            write.record.map { (write.user, $0.row, write.change != nil, $0.notBefore) }
        }
        let both: [Parameter] = [
            .integer(Int64(catalog)), .integer(Int64(historyKept)),
            .column(changes.map(\.0.text)), .column(changes.map { $0.1?.version ?? 0 }),
            .column(changes.map { $0.1?.checksum ?? 0 }), .column(changes.map(\.2.version)),
            .column(changes.map(\.2.items)), .column(changes.map(\.2.locked)), .column(changes.map(\.3.kind)),
            .column(changes.map(\.3.origin)), .column(changes.map(\.3.actor)), .column(changes.map(\.2.updatedAt)),
            .column(changes.map(\.2.checksum)), .column(changes.map(\.3.checksum)),
            .column(changes.map { ErasedDigest.of($0.0) }),
        ]
        if records.isEmpty { return both }
        return both + [
            .column(records.map(\.0.text)), .column(records.map(\.1.scope)), .column(records.map(\.1.key)),
            .column(records.map(\.1.fingerprint)), .column(records.map { Int64($0.1.answer.status) }),
            .column(records.map(\.1.answer.entityTag)), .column(records.map(\.1.answer.content)),
            .column(records.map(\.1.createdAt)), .column(records.map(\.1.checksum)), .column(records.map(\.3)),
            .column(records.map(\.2)),
        ]
    }
}
