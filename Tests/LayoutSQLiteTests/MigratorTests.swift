import Glibc
import LayoutMigrations
import LayoutSQLite
import LayoutTesting
import Testing

@Suite struct MigratorTests {
    private static let first = migration(1, "one", "CREATE TABLE migrations (version, name, checksum, applied_at) ")
    private static let second = migration(2, "two", "CREATE TABLE b (x); INSERT INTO b VALUES (7)")

    @Test func eachStepIsAppliedOnce() throws {
        let connection = try Connection(":memory:", .readWrite)
        #expect(try Migrator([Self.first]).migrate(connection).map(\.version) == [1])
        let both = Migrator([Self.first, Self.second])
        #expect(try both.status(of: connection).pending.map(\.name) == ["two"])
        #expect(try both.migrate(connection).map(\.version) == [2])
        #expect(try both.migrate(connection) == [])
        #expect(try connection.integer("PRAGMA user_version") == 2)
        #expect(try connection.integer("SELECT x FROM b") == 7)
        #expect(try both.status(of: connection).steps.allSatisfy { $0.appliedAt != nil })
    }

    /// Wherever a migration stops, the schema is the old one or the new one.
    @Test(arguments: 0...3) func aStepThatFailsLeavesTheOldSchema(statementsBefore: Int) throws {
        let connection = try Connection(":memory:", .readWrite)
        try Migrator([Self.first]).migrate(connection)
        let statements = ["CREATE TABLE b (x)", "INSERT INTO b VALUES (1)", "CREATE INDEX i ON b (x)"].prefix(
            statementsBefore)
        let broken = Self.migration(2, "broken", (statements + ["this is no SQL"]).joined(separator: ";"))
        #expect(throws: SQLError.self) { try Migrator([Self.first, broken]).migrate(connection) }
        #expect(try connection.integer("PRAGMA user_version") == 1)
        #expect(try connection.integer("SELECT count(*) FROM sqlite_schema") == 1)
        #expect(!connection.isInTransaction)
        #expect(try Migrator([Self.first, Self.second]).migrate(connection).map(\.version) == [2])
    }

    @Test func aRehearsalChangesNothing() throws {
        let connection = try Connection(":memory:", .readWrite)
        let both = Migrator([Self.first, Self.second])
        #expect(try both.rehearse(connection).map(\.version) == [1, 2])
        #expect(try connection.integer("SELECT count(*) FROM sqlite_schema") == 0)
        #expect(try both.status(of: connection).pending.count == 2)
    }

    @Test func aChangedStepIsRefused() throws {
        let connection = try Connection(":memory:", .readWrite)
        try Migrator([Self.first]).migrate(connection)
        let changed = Self.migration(1, "one", "CREATE TABLE other (x)")
        #expect(throws: OpenError.changedMigration(path: ":memory:", version: 1, name: "one")) {
            try Migrator([changed]).status(of: connection)
        }
    }

    @Test func whatTheCommandShowsAndDoes() throws {
        let database = Database()
        #expect(try SQLiteSchema.status(ofDatabaseAt: database.path).pending.map(\.name) == ["layouts", "places"])
        #expect(try SQLiteSchema.migrate(databaseAt: database.path, dryRun: true).map(\.version) == [1, 2])
        #expect(!database.folder.files.contains("layouts.db"))
        #expect(try SQLiteSchema.migrate(databaseAt: database.path, dryRun: false).map(\.version) == [1, 2])
        #expect(try SQLiteSchema.status(ofDatabaseAt: database.path).pending == [])
        #expect(try SQLiteSchema.migrate(databaseAt: database.path, dryRun: false) == [])
    }

    @Test func theStatusIsShownWhileAServerRuns() async throws {
        let database = Database()
        try await database.withStore { store in
            try await store.put(["a"], of: "u1")
            #expect(try SQLiteSchema.status(ofDatabaseAt: database.path).pending == [])
            try await store.put(["b"], of: "u1")
        }
    }

    /// A file that is on disk but not in the list would never be applied.
    @Test func everyFileIsListed() throws {
        let folder = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Migrations/SQLite"
        let expected = [Migration].sqlite.map { migration in
            String(repeating: "0", count: 4 - "\(migration.version)".count)
                + "\(migration.version)_\(migration.name).sqlite.sql"
        }
        #expect(Set(TemporaryFolder.names(in: folder)) == Set(expected))
        #expect([Migration].sqlite.map(\.version) == Array(1...expected.count))
    }

    private static func migration(_ version: Int, _ name: String, _ sql: String) -> Migration {
        Migration(version: version, name: name, sql: Array(sql.utf8))
    }
}
