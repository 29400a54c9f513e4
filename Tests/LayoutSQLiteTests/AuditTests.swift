import Glibc
import LayoutApplication
import LayoutModel
import LayoutRecords
import LayoutSQLite
import LayoutTesting
import Testing

@Suite struct AuditTests {
    private let database = Database()

    @Test func whatIsWholeHasNoFindings() async throws {
        try await fill()
        let report = try audit()
        #expect(report.findings == [])
        #expect(report.findingCount == 0)
        let census = report.census
        #expect((census.layouts, census.revisions, census.requests) == (3, 9, 1))
        #expect((census.catalogs, census.erased, census.newestVersion, census.newestCatalog) == (1, 1, 3, 1))
        #expect(census.databaseID.utf8.count == 32)
    }

    @Test func aNewDatabaseIsWhole() async throws {
        try await database.withStore { _ in }
        #expect(try audit().findings == [])
    }

    /// What the store itself can leave behind is no damage: history kept short by number or by age, versions after an erasure.
    @Test func whatRetentionLeavesIsWhole() async throws {
        try await database.configured({ $0.historyKept = 2 }).withStore { store in
            for _ in 1...5 { try await store.put(["a"], of: "short") }
            _ = try await store.prune(revisionsBefore: .max, requestsBefore: .max)
            for _ in 1...3 { try await store.put(["a"], of: "back") }
            _ = try await store.erase("back")
            for _ in 1...2 { try await store.put(nil, of: "back") }
            try await store.put([], of: "empty")
        }
        #expect(try audit().findings == [])
    }

    @Test(arguments: [
        (
            "UPDATE layouts SET items = 'a,c' WHERE user_id = 'u1'",
            "layouts: u1: layout of u1 at version 3: the checksum"
        ),
        ("UPDATE layouts SET items = NULL WHERE user_id = 'u1'", "layouts: u1: it is not what its revision 3 says"),
        ("UPDATE layouts SET version = 2 WHERE user_id = 'u1'", "it is at version 2, and its newest revision is 3"),
        ("UPDATE layouts SET locked = 2 WHERE user_id = 'u1'", "the checksum does not match"),
        ("UPDATE layouts SET locked = 3 WHERE user_id = 'u2'", "layouts: u2: version 3: 'locked' is 3"),
        (
            "UPDATE layouts SET user_id = 'u9' WHERE user_id = 'u1'",
            "layouts: u9: layout of u9 at version 3: the checksum"
        ),
        ("UPDATE layouts SET user_id = char(7) WHERE user_id = 'u1'", "that is no user's id"),
        ("UPDATE layouts SET user_id = CAST(x'FF41' AS TEXT) WHERE user_id = 'u1'", "the checksum does not match"),
        ("DELETE FROM layouts WHERE user_id = 'u1'", "revisions: u1: there is no layout to them"),
        ("DELETE FROM revisions WHERE user_id = 'u1'", "layouts: u1: there is no revision of it"),
        (
            "DELETE FROM revisions WHERE user_id = 'u1' AND version = 3",
            "it is at version 3, and its newest revision is 2"
        ),
        ("DELETE FROM revisions WHERE user_id = 'u1' AND version = 2", "between version 1 and 3 some are missing"),
        ("UPDATE revisions SET kind = 'undo' WHERE version = 2", "revision 2 of u1: the checksum does not match"),
        ("UPDATE revisions SET place = 7 WHERE user_id = 'u1' AND version = 3", "its newest revision is 7"),
        ("UPDATE idempotency SET user_id = 'u2'", "idempotency: u2: idempotency record of u2: the checksum"),
        ("UPDATE idempotency SET content = x'00'", "idempotency: u1: idempotency record of u1: the checksum"),
        ("UPDATE catalogs SET document = x'00'", "catalogs: 1: catalog 1: the checksum does not match"),
        ("UPDATE catalogs SET revision = 2", "catalogs: 2: catalog 2: the checksum does not match"),
        ("UPDATE erased SET version = 0", "version 0 cannot be"),
        ("UPDATE erased SET digest = -1", "erased: -1: version 3 cannot be"),
        ("DELETE FROM identity", "identity: it is missing"),
        ("UPDATE identity SET id = 'x'", "identity: the id 'x' is none"),
        ("UPDATE identity SET version_floor = -1", "the version floor -1 cannot be"),
    ])
    func damageIsFoundAndNamed(harm: String, finding: String) async throws {
        try await fill()
        try database.execute(harm)
        let findings = try audit().findings.map(\.description)
        #expect(findings.contains { $0.contains(finding) }, "\(findings)")
    }

    /// Each row is as it was written, under another's name.
    @Test(arguments: ["layouts", "revisions"]) func rowsSwappedBetweenUsersAreFound(table: String) async throws {
        try await fill()
        try database.execute(
            """
            UPDATE \(table) SET user_id = 'x' WHERE user_id = 'u1'; UPDATE \(table) SET user_id = 'u1' WHERE user_id = 'u2';
            UPDATE \(table) SET user_id = 'u2' WHERE user_id = 'x'
            """)
        let findings = try audit().findings
        #expect(Set(findings.filter { $0.problem.contains("checksum") }.map(\.key)) == ["u1", "u2"])
    }

    /// A whole row of an earlier moment has a checksum that matches.
    @Test func aRowThatWentBackInTimeIsFound() async throws {
        try await database.withStore { store in
            try await store.put(["a"], of: "u1")
            try await store.onWriter { try $0.execute("CREATE TEMP TABLE old AS SELECT * FROM layouts") }
            try await store.put(["b"], of: "u1")
            try await store.onWriter { try $0.execute("REPLACE INTO layouts SELECT * FROM temp.old") }
        }
        #expect(try audit().findings.map(\.problem) == ["it is at version 1, and its newest revision is 2"])
    }

    @Test func aListThatHoldsOneTwiceIsFound() async throws {
        try await database.withStore { try await $0.put(["a", "b", "a"], of: "u1") }
        #expect(
            try audit().findings.map(\.description) == [
                "layouts: u1: version 1: the items hold one twice",
                "revisions: u1: version 1: the items hold one twice",
            ])
    }

    @Test func aDocumentThatIsNoCatalogIsFound() async throws {
        try await fill()
        let report = try Audit.run(
            onDatabaseAt: database.path, readCatalog: { _ in throw NoCatalog() }, progress: { _ in })
        #expect(report.findings.map(\.description) == ["catalogs: 1: the document is no catalog: NoCatalog()"])
    }

    /// A gap that ends above a floor is a restore's; any other is damage.
    @Test(arguments: [
        (1_001 as Version, 1_000 as Version, 0), (1_001, 2_000, 0), (1_002, 1_000, 1), (1_001, 0, 1), (3_001, 2_000, 1),
    ])
    func gapsAreAllowedWhereAFloorWasRaised(next: Version, floor: Version, count: Int) async throws {
        try await database.withStore { store in
            try await store.put(["a"], of: "u1")
            _ = try await store.update("u1", request: nil) { transaction in
                var change = transaction.change(to: ["b"])
                change.layout.version = next
                return Decision(change: change, value: ())
            }
        }
        try database.execute("UPDATE identity SET version_floor = \(floor)")
        #expect(try audit().findingCount == count)
    }

    /// Bits of a closed file, flipped one by one: what a reader would get is as it was, or the audit says so.
    @Test(arguments: 0..<8) func aFlippedBitIsFoundOrHarmless(seed: UInt64) async throws {
        try await fill()
        try await database.withStore { store in
            let list = (0..<30).map { FunctionID("function-\($0)")! }
            for number in 0..<100 { try await store.put(list, of: UserID("user-\(number)")!) }
        }
        let contents = try dump()
        var random = SplitMix64(seed: seed)
        let size = database.size(of: "layouts.db")
        var found = 0
        for _ in 0..<40 {
            let (offset, bit) = (Int.random(in: 0..<size, using: &random), UInt8.random(in: 0..<8, using: &random))
            try flip(bit, at: offset)
            do {
                let report = try audit()
                if report.findings.isEmpty {
                    #expect((try? dump()) == contents, "bit \(bit) at \(offset) changed something unseen")
                } else {
                    found += 1
                }
            } catch { found += 1 }
            try flip(bit, at: offset)
        }
        #expect(found > 0)
        #expect(try audit().findings == [])
    }

    @Test func whatIsNoDatabaseIsRefused() async throws {
        #expect(throws: CopyError.missing(path: database.path)) { try audit() }
        database.write([])
        #expect(throws: OpenError.self) { try audit() }
        database.write(Array(repeating: 0x41, count: 10_000))
        #expect(throws: OpenError.self) { try audit() }
    }

    private struct NoCatalog: Error {}

    private func audit() throws -> AuditReport {
        try Audit.run(onDatabaseAt: database.path, readCatalog: { _ in }, progress: { _ in })
    }

    private func fill() async throws {
        try await database.withStore { store in
            for user in ["u1", "u2", "u3", "gone"] as [UserID] {
                try await store.put(["a"], of: user)
                try await store.put(nil, of: user)
                try await store.put(["a", "b", "c"], locked: user == "u2", of: user)
            }
            _ = try await store.erase("gone")
            let request = IdempotentRequest(scope: "s", key: "k", fingerprint: [1], notBefore: 0, now: 1)
            _ = try await store.update("u1", request: request) { _ in
                Decision(change: nil, value: 0, answer: RecordedAnswer(status: 200, entityTag: "t", content: [1]))
            }
            _ = try await store.publish { _ in
                CatalogRecord(
                    summary: .init(revision: 1, layoutRevision: 1, publishedAt: 1, publishedBy: "op"), document: [1])
            }
        }
    }

    /// All that the store reads, but for what has no checksum and decides nothing: when it was started, created, migrated.
    private func dump() throws -> [String?] {
        try [
            "SELECT group_concat(quote(user_id) || version || quote(items) || locked || updated_at) FROM layouts",
            "SELECT group_concat(quote(user_id) || version || quote(items) || locked || kind || origin || created_at) FROM revisions",
            "SELECT group_concat(quote(user_id) || scope || key || quote(content) || created_at) FROM idempotency",
            "SELECT group_concat(revision || layout_revision || quote(document)) FROM catalogs",
        ].map { try database.text($0) }
    }

    private func flip(_ bit: UInt8, at offset: Int) throws {
        let descriptor = Glibc.open(database.path, O_RDWR)
        defer { close(descriptor) }
        var byte: UInt8 = 0
        #expect(pread(descriptor, &byte, 1, off_t(offset)) == 1)
        byte ^= 1 << bit
        #expect(pwrite(descriptor, &byte, 1, off_t(offset)) == 1)
    }
}
