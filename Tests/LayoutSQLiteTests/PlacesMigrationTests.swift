import LayoutApplication
import LayoutMigrations
import LayoutModel
import LayoutRecords
import LayoutSQLite
import LayoutTesting
import Testing

/// What the first schema held is read and written on under the second, `0002_places`.
@Suite struct PlacesMigrationTests {
    private let first = Migrator(Array([Migration].sqlite.prefix(1)))

    @Test(arguments: [1, 3, 4, 50, 100]) func everythingIsThere(kept: Int) async throws {
        let old = try await filled(changes: ["none": 0, "one": 1, "full": 4, "beyond": 60])
        let database = old.configured { $0.historyKept = kept }
        let before = try old.rows()
        try await database.withStore { store in
            #expect(try old.rows() == before, "no row is written")
            #expect(try await store.revisions(of: "none", below: nil, limit: 100) == [])
            for (user, newest) in ["one": 1, "full": 4, "beyond": 60] as [UserID: Version] {
                #expect(try await store.layout(of: user).layout.version == newest)
                let oldest = max(1, newest - 49)
                let page = try await store.revisions(of: user, below: nil, limit: 100)
                #expect(page.map(\.layout.version) == Array((oldest...newest).reversed()))
                #expect(try await store.revision(newest, of: user)?.layout.version == newest)
                for _ in 1...6 { try await store.put(["b"], of: user) }
                let next = try await store.revisions(of: user, below: nil, limit: 200)
                let expected = (oldest...(newest + 6)).suffix(kept)
                #expect(next.map(\.layout.version) == expected.reversed(), "\(user)")
            }
            let back = try await store.put(["a"], of: "erased")
            #expect(back.version == 4)
        }
        #expect(try database.findings() == [])
    }

    @Test func damageStaysWhatItIs() async throws {
        let database = try await filled(changes: ["u1": 3, "u2": 3, "u3": 3])
        try database.execute(
            """
            UPDATE revisions SET version = 7 WHERE user_id = 'u1' AND version = 2;
            UPDATE revisions SET items = 'x' WHERE user_id = 'u2' AND version = 3; DELETE FROM layouts WHERE user_id = 'u3'
            """)
        try await database.withStore { store in
            #expect(await fault { try await store.revision(7, of: "u1") } == .damaged)
            #expect(await fault { try await store.revision(3, of: "u2") } == .damaged)
            #expect(await fault { try await store.layout(of: "u3") } == .damaged)
        }
        let findings = try database.findings()
        for finding in [
            "revisions: u1: revision 7 of u1: the checksum does not match",
            "revisions: u2: revision 3 of u2: the checksum does not match", "revisions: u3: there is no layout to them",
        ] {
            #expect(findings.contains { $0 == finding }, "\(findings)")
        }
    }

    @Test func anOlderProgramRefuses() async throws {
        let database = try await filled(changes: ["u1": 1])
        let connection = try Connection(database.path, .readWrite)
        #expect(try first.status(of: connection).pending == [])
        try Migrator().migrate(connection)
        #expect(throws: OpenError.newer(path: database.path, found: 2, known: 1)) { try first.status(of: connection) }
        try connection.close()
    }

    /// A database of the first schema: with so many changes of each user, of which the last fifty are kept, and with one who
    /// was erased. The store writes it, and its rows are laid under their versions, as that schema had them.
    private func filled(changes: [UserID: Int]) async throws -> Database {
        let (newer, older) = (Database(), Database())
        try await newer.withStore { store in
            for (user, count) in changes { for _ in 0..<count { try await store.put(["a"], of: user) } }
            for _ in 1...3 { try await store.put(["a"], of: "erased") }
            _ = try await store.erase("erased")
        }
        let connection = try Connection.create(older.path)
        try first.migrate(connection)
        try connection.prepare("ATTACH ?1 AS newer").run(newer.path)
        try connection.execute(
            """
            INSERT INTO layouts SELECT * FROM newer.layouts;
            INSERT INTO revisions SELECT user_id, version, items, locked, kind, origin, actor, created_at, checksum
            FROM newer.revisions;
            INSERT INTO erased SELECT * FROM newer.erased
            """)
        try connection.close()
        return older
    }
}

extension Database {
    fileprivate func findings() throws -> [String] {
        try Audit.run(onDatabaseAt: path, readCatalog: { _ in }, progress: { _ in }).findings.map(\.description)
    }

    /// The history, each row with its checksum, under whichever schema.
    fileprivate func rows() throws -> String? {
        try text(
            "SELECT group_concat(user_id || version || checksum) FROM (SELECT * FROM revisions ORDER BY user_id, version)"
        )
    }
}
