#if PostgreSQL
    import Foundation
    import LayoutApplication
    import LayoutMigrations
    import LayoutModel
    import LayoutPostgres
    import LayoutTesting
    import Testing

    @Suite(.enabled(if: PostgresDatabase.isThere)) struct SchemaTests {
        private let database: PostgresDatabase

        init() throws { database = try PostgresDatabase() }

        private func withSchema<Result>(
            _ migrations: [Migration] = .postgreSQL, clock: @escaping @Sendable () -> Int64 = PostgresDatabase.now,
            _ body: (PostgresSchema) async throws -> Result
        ) async throws -> Result {
            var configuration = PostgresLayoutStore.Configuration(database.address)
            configuration.connections = 1
            configuration.patience = .seconds(30)
            let pool = ConnectionPool(configuration.pool)
            do {
                let result = try await body(PostgresSchema(pool: pool, clock: clock, migrations: migrations))
                await pool.close()
                return result
            } catch {
                await pool.close()
                throw error
            }
        }

        @Test func severalServersThatStartAtOnceMigrateOnce() async throws {
            let applied = try await withThrowingTaskGroup(returning: [Int].self) { group in
                for _ in 0..<6 { group.addTask { try await withSchema { try await $0.migrate().count } } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(applied.sorted() == [0, 0, 0, 0, 0, 1])
            let status = try await withSchema { try await $0.status() }
            #expect(status.pending.isEmpty)
            let rows = try database.run("SELECT count(*) FROM migrations")
            #expect(rows.first?.integer(0) == 1)
        }

        /// Whoever died while migrating holds the others up for a while, and not for ever.
        @Test func aLockThatHasExpiredIsTakenOver() async throws {
            try await withSchema { _ = try await $0.migrate() }
            try database.run(
                "INSERT INTO migration_lock (one, holder, until) VALUES (1, 'somebody', $1)",
                [.integer(PostgresDatabase.now() - 1)])
            let next = [Migration].postgreSQL + [second]
            #expect(try await withSchema(next) { try await $0.migrate().map(\.version) } == [2])
        }

        @Test func aLockThatIsHeldIsWaitedFor() async throws {
            try await withSchema { _ = try await $0.migrate() }
            try database.run(
                "INSERT INTO migration_lock (one, holder, until) VALUES (1, 'somebody', $1)",
                [.integer(PostgresDatabase.now() + 3_600_000)])
            let next = [Migration].postgreSQL + [second]
            async let applied = withSchema(next) { try await $0.migrate().count }
            try database.run("DELETE FROM migration_lock")
            #expect(try await applied == 1)
        }

        /// It would take most users, and fail for the first one with a name in Chinese.
        @Test func aDatabaseThatCannotHoldEveryIdIsRefused() async throws {
            let narrow = "\(database.name)_latin1"
            try database.runOutside("CREATE DATABASE \(narrow) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
            defer { try? database.runOutside("DROP DATABASE \(narrow) WITH (FORCE)") }
            let url = database.directAddress.url.replacing(database.name, with: narrow)
            await #expect(throws: PostgresOpenError.encoding("LATIN1")) {
                let store = try await PostgresLayoutStore.open(.init(ServerAddress(url)), clock: PostgresDatabase.now)
                await store.close()
            }
        }

        /// A statement was run, and its migration not recorded: it is run again.
        @Test func whatWasInterruptedIsFinished() async throws {
            try database.run("CREATE TABLE migration_lock (one BIGINT PRIMARY KEY, holder TEXT, until BIGINT)")
            let first = try #require([Migration].postgreSQL.first)
            let text = String(decoding: first.sql, as: UTF8.self)
            let statement = try #require(text.components(separatedBy: ";\n").first)
            try database.run(statement)
            #expect(try await withSchema { try await $0.migrate().count } == 1)
            try await database.withStore { store in
                let version = try await store.put(["a"], of: "u1").version
                #expect(version == 1)
            }
        }

        /// A rolling upgrade: the older server goes on, with statements that were planned before; an older one that starts now
        /// is told. topology.py does so under load.
        @Test func anOlderProgramGoesOnBesideANewerSchemaAndDoesNotStartOnIt() async throws {
            try await database.withStore { older in
                for list: [FunctionID] in [["a"], ["b"], ["c"]] { try await older.put(list, of: "u1") }
                try await withSchema([Migration].postgreSQL + [second]) { _ = try await $0.migrate() }
                for list: [FunctionID] in [["d"], ["e"], ["f"]] { try await older.put(list, of: "u1") }
                try await older.put(["a"], of: "u2")
                let versions = try await [older.layout(of: "u1").layout.version, older.layout(of: "u2").layout.version]
                #expect(versions == [6, 1])
                let history = try await older.revisions(of: "u1", below: .max, limit: 10).map(\.layout.version)
                #expect(history == [6, 5, 4, 3, 2, 1])
            }
            await #expect(throws: PostgresOpenError.newer(found: 2, known: 1)) {
                _ = try await database.open()
            }
        }

        @Test func aDatabaseOfAnotherProgramIsRefused() async throws {
            try database.run("CREATE TABLE layouts (id BIGINT)")
            await #expect(throws: PostgresOpenError.foreign(table: "layouts")) { _ = try await database.open() }
        }

        @Test func aChangedMigrationIsRefused() async throws {
            try await withSchema { _ = try await $0.migrate() }
            try database.run("UPDATE migrations SET checksum = checksum + 1")
            await #expect(throws: PostgresOpenError.changedMigration(version: 1, name: "layouts")) {
                _ = try await database.open()
            }
        }

        @Test func withoutMigratingAnOldSchemaIsRefused() async throws {
            await #expect(throws: PostgresOpenError.needsMigration(found: 0, known: 1)) {
                _ = try await database.open { $0.migrates = false }
            }
        }

        private let second = Migration(
            version: 2, name: "more",
            sql: Array(
                """
                ALTER TABLE layouts ADD COLUMN IF NOT EXISTS more TEXT;
                ALTER TABLE revisions ADD COLUMN IF NOT EXISTS more BIGINT NOT NULL DEFAULT 0;
                CREATE INDEX IF NOT EXISTS layouts_by_age ON layouts (updated_at);

                """.utf8))
    }

    @Suite struct MigrationFileTests {
        /// A file that is not in the list would never be run.
        @Test func everyFileIsInTheList() throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Migrations/PostgreSQL")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            let listed = [Migration].postgreSQL
            #expect(
                files
                    == listed.map { migration in
                        let number = String("000\(migration.version)".suffix(4))
                        return "\(number)_\(migration.name).postgres.sql"
                    })
            for (file, migration) in zip(files, listed) {
                #expect(try Data(contentsOf: folder.appending(path: file)) == Data(migration.sql))
            }
        }
    }
#endif
