#if PostgreSQL
    import LayoutApplication
    import LayoutModel
    import LayoutPostgres
    import LayoutRecords
    import LayoutTesting
    import Testing

    @Suite(.enabled(if: PostgresDatabase.isThere)) struct AuditTests {
        private let database: PostgresDatabase

        init() throws { database = try PostgresDatabase() }

        /// Two users with three versions each, one who was erased, a record, a catalog; then `damage`.
        private func audit(after damage: String? = nil) async throws -> AuditReport {
            let database = database
            try await database.withStore { store in
                for user in ["u1", "u2", "gone"] as [UserID] {
                    for _ in 1...3 { try await store.put(["a", "b"], of: user) }
                }
                _ = try await store.erase("gone")
                let request = IdempotentRequest(scope: "s", key: "k", fingerprint: [1], notBefore: 0, now: 1)
                _ = try await store.update("u1", request: request) { _ in
                    Decision(change: nil, value: (), answer: RecordedAnswer(status: 200, entityTag: "", content: []))
                }
                _ = try await store.publish { _ in
                    CatalogRecord(
                        summary: .init(revision: 1, layoutRevision: 1, publishedAt: 1, publishedBy: "test"),
                        document: Array("catalog".utf8))
                }
            }
            if let damage { try database.connect().write(damage, by: .now + .seconds(30)) }
            let pool = ConnectionPool(PostgresLayoutStore.Configuration(database.address).pool)
            let report = try await PostgresAudit.run(
                on: pool, clock: PostgresDatabase.now, readCatalog: { _ in }, progress: { _ in })
            await pool.close()
            return report
        }

        @Test func whatIsInOrderIsCounted() async throws {
            let report = try await audit()
            #expect(report.findings.isEmpty)
            let census = report.census
            #expect(census.layouts == 2 && census.revisions == 6 && census.requests == 1)
            #expect(census.catalogs == 1 && census.erased == 1 && census.newestVersion == 3)
        }

        @Test(arguments: [
            ("UPDATE layouts SET items = 'b' WHERE user_id = 'u1'", "layouts"),
            ("UPDATE layouts SET user_id = 'u3' WHERE user_id = 'u1'", "layouts"),
            ("DELETE FROM layouts WHERE user_id = 'u1'", "revisions"),
            ("DELETE FROM revisions WHERE user_id = 'u1' AND version = 2", "revisions"),
            ("DELETE FROM revisions WHERE user_id = 'u1' AND version = 3", "layouts"),
            ("UPDATE revisions SET actor = 'x' WHERE user_id = 'u1' AND version = 1", "revisions"),
            ("UPDATE idempotency SET status = 201", "idempotency"),
            ("UPDATE catalogs SET document = 'x'", "catalogs"),
            ("UPDATE erased SET version = -1", "erased"),
            ("UPDATE identity SET id = 'x'", "identity"),
            ("DELETE FROM identity", "identity"),
        ])
        func damageIsFound(damage: String, table: String) async throws {
            let report = try await audit(after: damage)
            #expect(report.findings.contains { $0.table == table }, "\(report.findings)")
        }
    }
#endif
