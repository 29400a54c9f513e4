import LayoutApplication
import LayoutModel
import LayoutRecords

/// What one change has to write.
struct ChangeWrite {
    let user: UserID
    /// The version that it was decided on.
    let before: Version
    let change: (layout: LayoutRow, revision: RevisionRow)?
    let record: (row: RequestRow, notBefore: Timestamp)?
}

/// Writes the changes of many users, each user's as a whole or not at all, in one statement: one round trip, one transaction
/// and one commit.
///
/// A change is made where its layout still has the version that it was decided on (compare and set); its history row and its
/// record follow from that. Where another server has recorded the same request in the meantime, two answers to it would
/// stand side by side: then the statement fails (a division by zero), and nothing of it is done.
enum ChangeStatement {
    /// - Returns: what was done: whose layout was changed, and whose record was made.
    /// - Throws: `Setback`; with SQLSTATE 22012 where a request turned out to have been answered.
    static func run(
        _ writes: [ChangeWrite], historyKept: Int, on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> (changed: Set<UserID>, recorded: Set<UserID>) {
        let text = text(
            begins: writes.contains { $0.before == 0 },
            drops: writes.contains { $0.change.map { $0.layout.version > historyKept } ?? false },
            records: writes.contains { $0.record != nil })
        let rows = try connection.commit(text, parameters(writes, historyKept: historyKept), by: deadline)
        var (changed, recorded): (Set<UserID>, Set<UserID>) = ([], [])
        _ = rows.map { row in
            guard let user = UserID(stored: row.text(0)) else { return }
            if row.bool(1) { changed.insert(user) } else { recorded.insert(user) }
        }
        return (changed, recorded)
    }

    /// Only the parts that there is something for: planning them all would take longer than carrying out what most rounds
    /// have to write. A parameter that no part mentions is passed over.
    private static func text(begins: Bool, drops: Bool, records: Bool) -> String {
        """
        WITH change AS (
            SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS c (user_id, before, version, items,
                locked, kind, origin, actor, made_at, layout_checksum, revision_checksum, digest)
        ), moved AS (
            UPDATE layouts AS l SET version = c.version, items = c.items, locked = c.locked, updated_at = c.made_at,
                checksum = c.layout_checksum
            FROM change AS c WHERE l.user_id = c.user_id AND l.version = c.before
            RETURNING l.user_id
        )\(begins ? beginning : ""), won AS (
            SELECT user_id FROM moved\(begins ? " UNION ALL SELECT user_id FROM begun" : "")
        ), added AS (
            INSERT INTO revisions (user_id, version, items, locked, kind, origin, actor, created_at, checksum)
            SELECT c.user_id, c.version, c.items, c.locked, c.kind, c.origin, c.actor, c.made_at, c.revision_checksum
            FROM change AS c JOIN won ON won.user_id = c.user_id
        )\(drops ? dropping : "")\(records ? recording : "")
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
        )
        """

    /// The history is cut by count and not by `version - count`: a restore leaves a gap between two versions, and must not
    /// cost a user the history before it. The statement doesn't see the row that it adds, so one fewer is kept of the others.
    private static let dropping = """
        , dropped AS (
            DELETE FROM revisions AS r USING change AS c JOIN won ON won.user_id = c.user_id
            WHERE r.user_id = c.user_id AND c.version > $23 AND r.version <=
                (SELECT o.version FROM revisions AS o WHERE o.user_id = c.user_id
                 ORDER BY o.version DESC LIMIT 1 OFFSET $23 - 1)
        )
        """

    private static let recording = """
        , request AS (
            SELECT * FROM unnest($13, $14, $15, $16, $17, $18, $19, $20, $21, $22) AS r (user_id, scope, key, fingerprint,
                status, entity_tag, content, created_at, checksum, comes_with_change)
        ), recorded AS (
            INSERT INTO idempotency AS i
                (user_id, scope, key, fingerprint, status, entity_tag, content, created_at, checksum)
            SELECT user_id, scope, key, fingerprint, status, entity_tag, content, created_at, checksum FROM request
            WHERE NOT comes_with_change OR user_id IN (SELECT user_id FROM won)
            ON CONFLICT (user_id, scope, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
                entity_tag = excluded.entity_tag, content = excluded.content, created_at = excluded.created_at,
                checksum = excluded.checksum
            WHERE i.created_at < $24
            RETURNING user_id
        )
        """

    private static let recordingResult = """
         UNION ALL SELECT user_id, FALSE FROM recorded
        UNION ALL SELECT user_id, 1 / (length(user_id) * 0) = 0 FROM request
            WHERE comes_with_change AND user_id IN (SELECT user_id FROM won)
            AND user_id NOT IN (SELECT user_id FROM recorded)
        """

    private static func parameters(_ writes: [ChangeWrite], historyKept: Int) -> [Parameter] {
        let changes = writes.compactMap { write in
            write.change.map { (write.user, write.before, $0.layout, $0.revision) }
        }
        let records = writes.compactMap { write in
            write.record.map { (write.user, $0.row, write.change != nil, $0.notBefore) }
        }
        return [
            .texts(changes.map(\.0.text)), .integers(changes.map(\.1)), .integers(changes.map(\.2.version)),
            .texts(changes.map(\.2.items)), .booleans(changes.map(\.2.locked)), .texts(changes.map(\.3.kind)),
            .texts(changes.map(\.3.origin)), .texts(changes.map(\.3.actor)), .integers(changes.map(\.2.updatedAt)),
            .integers(changes.map(\.2.checksum)), .integers(changes.map(\.3.checksum)),
            .integers(changes.map { ErasedDigest.of($0.0) }),
            .texts(records.map(\.0.text)), .texts(records.map(\.1.scope)), .texts(records.map(\.1.key)),
            .byteStrings(records.map(\.1.fingerprint)), .integers(records.map { Int64($0.1.answer.status) }),
            .texts(records.map(\.1.answer.entityTag)), .byteStrings(records.map(\.1.answer.content)),
            .integers(records.map(\.1.createdAt)), .integers(records.map(\.1.checksum)), .booleans(records.map(\.2)),
            .integer(Int64(historyKept)),
            // Of several the strictest: who has a later one is told that the request was answered, and tries alone.
            .integer(records.map(\.3).min() ?? 0),
        ]
    }
}
