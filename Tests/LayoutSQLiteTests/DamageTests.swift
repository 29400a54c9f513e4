import LayoutApplication
import LayoutModel
import LayoutSQLite
import LayoutTesting
import Testing

/// What the disk changed is never served: SQLite's own checks don't see most of it.
@Suite struct DamageTests {
    @Test(arguments: [
        "version = version + 1", "items = 'a,c'", "items = NULL", "items = ''", "locked = 1", "updated_at = 1",
        "checksum = checksum + 1", "user_id = 'u2'", "items = 'a,,b'", "items = x'FF' || ''",
    ])
    func aChangedLayoutIsFound(change: String) async throws {
        let database = try await stored()
        try database.execute("UPDATE layouts SET \(change)")
        try await database.withStore { store in
            let user: UserID = change.contains("user_id") ? "u2" : "u1"
            #expect(await fault { try await store.layout(of: user) } == .damaged)
            #expect(await fault { try await store.put(["b"], of: user) } == .damaged)
            let other = try await store.put(["b"], of: "u3")
            #expect(other.version == 1, "the others are served")
        }
    }

    /// A bit that flips in a row's key takes the row away: its user is not a new one for that.
    @Test func aLayoutThatIsGoneIsFound() async throws {
        let database = try await stored()
        try database.execute("DELETE FROM layouts")
        try await database.withStore { store in
            #expect(await fault { try await store.layout(of: "u1") } == .damaged)
            #expect(await fault { try await store.put(["b"], of: "u1") } == .damaged)
            let other = try await store.layout(of: "u3")
            #expect(other.layout == .never)
        }
    }

    @Test(arguments: ["items = 'a,c'", "place = 1", "kind = 'import'", "origin = ''", "created_at = 1", "locked = 1"])
    func aChangedRevisionIsFound(change: String) async throws {
        let database = try await stored()
        try database.execute("DELETE FROM revisions WHERE version = 1; UPDATE revisions SET \(change)")
        try await database.withStore { store in
            try await store.put(["c"], of: "u1")
            let version: Version = change.contains("place") ? 1 : 2
            #expect(await fault { try await store.list(of: "u1", at: version) } == .damaged)
        }
    }

    /// A layout from before its last change has a checksum that matches, and would have the same version made twice.
    @Test(arguments: [1, 50]) func aLayoutOlderThanItsHistoryIsFound(kept: Int) async throws {
        let database = try await stored().configured { $0.historyKept = kept }
        try database.execute("CREATE TABLE earlier AS SELECT * FROM layouts")
        try await database.withStore { try await $0.put(["c"], of: "u1") }
        try database.execute("REPLACE INTO layouts SELECT * FROM earlier")
        try await database.withStore { store in
            #expect(await fault { try await store.put(["d"], of: "u1") } == .damaged)
            let kept = try await store.revision(3, of: "u1")
            #expect(kept?.layout.favorites == ["c"])
        }
    }

    /// One bad row of the history keeps nobody from going on.
    @Test(arguments: ["place = 17", "reused_by = 1 << 40", "reused_by = -7", "place = 1 << 40", "items = 'x'"])
    func aDamagedHistoryIsWrittenOn(change: String) async throws {
        let database = try await stored().configured { $0.historyKept = 4 }
        try database.execute("UPDATE revisions SET \(change) WHERE version = 2")
        try await database.withStore { store in
            for _ in 3...12 { try await store.put(["c"], of: "u1") }
            let newest = try await store.layout(of: "u1")
            #expect(newest.layout.version == 12)
        }
        #expect(try database.integer("SELECT count(*) FROM revisions") == 4)
    }

    @Test(arguments: ["user_id = 'u2'", "content = x'00'", "status = 201", "entity_tag = ''", "key = 'other'"])
    func aChangedAnswerIsFound(change: String) async throws {
        let database = try await stored()
        try database.execute("UPDATE idempotency SET \(change)")
        try await database.withStore { store in
            let user: UserID = change.contains("user_id") ? "u2" : "u1"
            let key = change.contains("key") ? "other" : "k"
            #expect(await fault { try await store.answer(of: user, key: key) } == .damaged)
        }
    }

    @Test(arguments: ["document = x'00'", "layout_revision = 2", "revision = 2", "published_by = ''"])
    func aChangedCatalogIsFound(change: String) async throws {
        let database = try await stored()
        try database.execute("UPDATE catalogs SET \(change)")
        try await database.withStore { store in
            #expect(await fault { try await store.currentCatalog() } == .damaged)
        }
    }

    private func stored() async throws -> Database {
        let database = Database()
        try await database.withStore { store in
            try await store.put(["a"], of: "u1")
            try await store.put(["a", "b"], of: "u1")
            try await store.answer(of: "u1", key: "k")
            _ = try await store.publish { _ in
                CatalogRecord(
                    summary: .init(revision: 1, layoutRevision: 1, publishedAt: 1, publishedBy: "op"), document: [1])
            }
        }
        return database
    }
}

extension LayoutStore {
    @discardableResult
    fileprivate func answer(of user: UserID, key: String) async throws -> Settled<Int> {
        let request = IdempotentRequest(scope: "s", key: key, fingerprint: [1], notBefore: 0, now: 1)
        return try await update(user, request: request) { _ in
            Decision(change: nil, value: 0, answer: RecordedAnswer(status: 200, entityTag: "t", content: [1]))
        }
    }
}
