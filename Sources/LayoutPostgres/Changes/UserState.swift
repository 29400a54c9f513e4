import LayoutApplication
import LayoutModel
import LayoutRecords

/// What a change is decided on: the user's layout at one moment, and what the request was answered before.
struct UserState {
    var found: LayoutTable.Found
    var versionFloor: Version
    /// The answer to the same request, where it came first.
    var answer: RecordedAnswer?
    /// Whether it is from memory: a guess, which holds as far as the statement that writes finds it to be so.
    var isRemembered = false

    init(_ found: LayoutTable.Found, versionFloor: Version) {
        self.found = found
        self.versionFloor = versionFloor
    }

    /// The request was answered before, and that is all that counts.
    init(answered answer: RecordedAnswer) {
        self.init((.never, nil), versionFloor: 0)
        self.answer = answer
    }

    /// As if no floor stood above the version, and the request were new: the statement asks for both.
    ///
    /// - Throws: `StoreError.damaged`.
    init(remembering row: LayoutRow, of user: UserID) throws {
        self.init((try row.layout(of: user), row), versionFloor: 0)
        isRemembered = true
    }
}

/// Many of them, read together.
struct UserStates {
    typealias Asked = (user: UserID, request: IdempotentRequest?)

    /// In the order in which they were asked for. What is damaged is one user's failure, and not that of the others.
    let states: [Result<UserState, any Error>]
    /// The revision of the catalog in force at that moment; 0 before the first.
    let catalogRevision: Int

    /// In one round trip where all of the users have a layout: most have, and to look for what a user without one may have
    /// had takes the planner longer than the rest. Who has none is read again, with everything.
    ///
    /// - Throws: `Setback`.
    init(for asked: [Asked], on connection: Connection, by deadline: ContinuousClock.Instant) throws {
        var states: [Result<UserState, any Error>?]
        (states, catalogRevision) = try Self.stored(asked, on: connection, by: deadline)
        let absent = states.indices.filter { states[$0] == nil }
        if !absent.isEmpty {
            let found = try Self.absent(absent.map { asked[$0] }, on: connection, by: deadline)
            for (place, state) in zip(absent, found) { states[place] = state }
        }
        self.states = states.map { $0 ?? .success(UserState((.never, nil), versionFloor: 0)) }
    }

    /// Of those who have a layout, or an answer to the request; nil for the others.
    private static func stored(
        _ asked: [Asked], on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> (states: [Result<UserState, any Error>?], catalog: Int) {
        let rows = try connection.read(
            asked.contains { $0.request != nil } ? storedWithRequests : storedAlone, parameters(asked), by: deadline)
        var states = [Result<UserState, any Error>?](repeating: nil, count: asked.count)
        _ = rows.map { row in
            let place = Int(row.integer(5)) - 1
            guard asked.indices.contains(place), !row.isNull(0) || !row.isNull(8) else { return }
            let (user, request) = asked[place]
            states[place] = Result {
                if let answer = try answer(to: request, of: user, row, from: 8) { return answer }
                return UserState(try LayoutTable.find(user, row, isLost: false), versionFloor: row.integer(6))
            }
        }
        return (states, Int(rows.first?.integer(7) ?? 0))
    }

    private static let storedAlone = """
        SELECT l.version, l.items, l.locked, l.updated_at, l.checksum, a.place,
            (SELECT version_floor FROM identity WHERE one = 1), (SELECT max(revision) FROM catalogs),
            NULL, NULL, NULL, NULL, NULL, NULL
        FROM unnest($1) WITH ORDINALITY AS a (user_id, place)
        LEFT JOIN layouts AS l ON l.user_id = a.user_id
        """

    private static let storedWithRequests = """
        SELECT l.version, l.items, l.locked, l.updated_at, l.checksum, a.place,
            (SELECT version_floor FROM identity WHERE one = 1), (SELECT max(revision) FROM catalogs),
            i.fingerprint, i.status, i.entity_tag, i.content, i.created_at, i.checksum
        FROM unnest($1, $3, $4, $5) WITH ORDINALITY AS a (user_id, scope, key, not_before, place)
        LEFT JOIN layouts AS l ON l.user_id = a.user_id
        LEFT JOIN idempotency AS i ON i.user_id = a.user_id AND i.scope = a.scope AND i.key = a.key
            AND i.created_at >= a.not_before
        """

    /// Of those who had no layout a moment ago, with what they may have had: one statement, which sees one state of all.
    private static func absent(
        _ asked: [Asked], on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws -> [Result<UserState, any Error>] {
        let rows = try connection.read(
            """
            SELECT l.version, l.items, l.locked, l.updated_at, l.checksum,
                l.user_id IS NULL AND EXISTS (SELECT 1 FROM revisions AS r WHERE r.user_id = a.user_id),
                (SELECT version_floor FROM identity WHERE one = 1), e.version,
                i.fingerprint, i.status, i.entity_tag, i.content, i.created_at, i.checksum
            FROM unnest($1, $2, $3, $4, $5) WITH ORDINALITY AS a (user_id, digest, scope, key, not_before, place)
            LEFT JOIN layouts AS l ON l.user_id = a.user_id
            LEFT JOIN erased AS e ON e.digest = a.digest
            LEFT JOIN idempotency AS i ON i.user_id = a.user_id AND i.scope = a.scope AND i.key = a.key
                AND i.created_at >= a.not_before
            ORDER BY a.place
            """, parameters(asked), by: deadline)
        var place = 0
        return rows.map { row in
            defer { place += 1 }
            let (user, request) = asked[place]
            return Result {
                if let answer = try answer(to: request, of: user, row, from: 8) { return answer }
                let found = try LayoutTable.find(user, row, isLost: row.bool(5))
                // Who has no version at present may have had some before they were erased.
                let used = found.row == nil ? row.integer(7) : 0
                return UserState(found, versionFloor: max(row.integer(6), used))
            }
        }
    }

    private static func answer(
        to request: IdempotentRequest?, of user: UserID, _ row: Rows.Row, from column: Int32
    ) throws -> UserState? {
        guard let request, !row.isNull(column) else { return nil }
        let record = IdempotencyTable.record(scope: request.scope, key: request.key, row, from: column)
        return UserState(answered: try record.answer(to: request, of: user))
    }

    /// Those that a statement does not mention are passed over.
    private static func parameters(_ asked: [Asked]) -> [Parameter] {
        [
            .texts(asked.map(\.user.text)), .integers(asked.map { ErasedDigest.of($0.user) }),
            .texts(asked.map { $0.request?.scope }), .texts(asked.map { $0.request?.key }),
            .integers(asked.map { $0.request?.notBefore ?? 0 }),
        ]
    }
}
