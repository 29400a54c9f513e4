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

    @Test(arguments: ["items = 'a,c'", "version = 1", "kind = 'import'", "origin = ''", "created_at = 1", "locked = 1"])
    func aChangedRevisionIsFound(change: String) async throws {
        let database = try await stored()
        try database.execute("DELETE FROM revisions WHERE version = 1; UPDATE revisions SET \(change)")
        try await database.withStore { store in
            try await store.put(["c"], of: "u1")
            let version: Version = change.contains("version") ? 1 : 2
            #expect(await fault { try await store.list(of: "u1", at: version) } == .damaged)
        }
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
