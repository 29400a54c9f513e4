import LayoutApplication
import LayoutModel
import LayoutRecords

/// What a change is decided on: the user's layout at one moment, and what the request was answered before.
struct UserState {
    var layout: StoredLayout
    var versionFloor: Version
    /// The answer to the same request, where it came first.
    var answer: RecordedAnswer?
}

/// Many of them, read in one round trip.
struct UserStates {
    /// In the order in which they were asked for. What is damaged is one user's failure, and not that of the others.
    let states: [Result<UserState, any Error>]
    /// The revision of the catalog in force at that moment; 0 before the first.
    let catalogRevision: Int

    /// - Throws: `Setback`.
    init(
        for asked: [(user: UserID, request: IdempotentRequest?)], on connection: Connection,
        by deadline: ContinuousClock.Instant
    ) throws {
        let rows = try connection.read(
            """
            SELECT l.version, l.items, l.locked, l.updated_at, l.checksum,
                l.user_id IS NULL AND EXISTS (SELECT 1 FROM revisions AS r WHERE r.user_id = a.user_id),
                e.version, i.fingerprint, i.status, i.entity_tag, i.content, i.created_at, i.checksum,
                (SELECT version_floor FROM identity WHERE one = 1), (SELECT max(revision) FROM catalogs)
            FROM unnest($1, $2, $3, $4, $5) WITH ORDINALITY AS a (user_id, digest, scope, key, not_before, place)
            LEFT JOIN layouts AS l ON l.user_id = a.user_id
            LEFT JOIN erased AS e ON e.digest = a.digest
            LEFT JOIN idempotency AS i ON i.user_id = a.user_id AND i.scope = a.scope AND i.key = a.key
                AND i.created_at >= a.not_before
            ORDER BY a.place
            """,
            [
                .texts(asked.map(\.user.text)), .integers(asked.map { ErasedDigest.of($0.user) }),
                .texts(asked.map { $0.request?.scope }), .texts(asked.map { $0.request?.key }),
                .integers(asked.map { $0.request?.notBefore ?? 0 }),
            ], by: deadline)
        var place = 0
        states = rows.map { row in
            defer { place += 1 }
            let (user, request) = asked[place]
            return Result { try Self.state(of: user, request, row) }
        }
        catalogRevision = Int(rows.first?.integer(14) ?? 0)
    }

    private static func state(of user: UserID, _ request: IdempotentRequest?, _ row: Rows.Row) throws -> UserState {
        if let request, !row.isNull(7) {
            let record = IdempotencyTable.record(scope: request.scope, key: request.key, row, from: 7)
            return UserState(layout: .never, versionFloor: 0, answer: try record.answer(to: request, of: user))
        }
        let layout = try LayoutTable.layout(of: user, row, isLost: row.bool(5))
        // Who has no version at present may have had some before they were erased.
        let used = layout.version == 0 ? row.integer(6) : 0
        return UserState(layout: layout, versionFloor: max(row.integer(13), used))
    }
}
