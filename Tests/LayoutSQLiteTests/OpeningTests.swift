import Glibc
import LayoutApplication
import LayoutMigrations
import LayoutModel
import LayoutSQLite
import LayoutTesting
import Testing

@Suite struct OpeningTests {
    private let database = Database()
    private let known = [Migration].sqlite.count

    @Test func aMissingDatabaseIsCreatedWhole() async throws {
        try await database.withStore { try await $0.check() }
        #expect(database.folder.files == ["layouts.db", "layouts.db.lock"], "nothing of the making or the log is left")
        #expect(try database.integer("PRAGMA application_id") == 0x5045_4742)
        #expect(try database.integer("PRAGMA user_version") == known)
    }

    @Test func openingAgainFindsEverything() async throws {
        let catalog = CatalogRecord(
            summary: .init(revision: 1, layoutRevision: 1, publishedAt: 1, publishedBy: "op"), document: [1, 2, 3])
        try await database.withStore { store in
            try await store.put(["a"], of: "u1")
            try await store.put(["a", "b"], locked: true, of: "u1")
            _ = try await store.publish { _ in catalog }
        }
        try await database.withStore { store in
            let layout = try await store.layout(of: "u1").layout
            #expect(layout == StoredLayout(favorites: ["a", "b"], version: 2, locked: true, updatedAt: 1_000))
            #expect(try await store.list(of: "u1", at: 1) == .kept(["a"]))
            #expect(try await store.currentCatalog() == catalog)
        }
    }

    @Test func aSecondStoreIsRefused() async throws {
        try await database.withStore { _ in
            #expect(throws: OpenError.inUse(path: resolved)) { try database.open() }
            #expect(throws: OpenError.inUse(path: resolved)) {
                try SQLiteSchema.migrate(databaseAt: database.path, dryRun: true)
            }
        }
        try await database.withStore { _ in }
    }

    @Test func anotherNameOfTheFileIsTheSameDatabase() async throws {
        try await database.withStore { _ in
            let link = database.folder.file("link.db")
            #expect(symlink(database.path, link) == 0)
            #expect(throws: OpenError.inUse(path: resolved)) { try SQLiteLayoutStore.open(.init(.file(link))) }
        }
    }

    @Test func anEmptyFileIsRefusedAndLeftAlone() {
        database.write([])
        #expect(throws: OpenError.empty(path: resolved)) { try database.open() }
        #expect(database.size(of: "layouts.db") == 0)
    }

    @Test func anotherProgramsDatabaseIsRefusedAndLeftAlone() throws {
        try Connection.create(database.path).execute("CREATE TABLE notes (text)")
        #expect(throws: OpenError.foreign(path: resolved, reason: "another program made it")) { try database.open() }
        #expect(try database.integer("SELECT count(*) FROM sqlite_schema") == 1)
    }

    @Test func aFileOfAnotherKindIsRefused() throws {
        database.write(Array(repeating: 0x41, count: 10_000))
        let error = #expect(throws: OpenError.self) { try database.open() }
        guard case .foreign = try #require(error) else { return #expect(error == nil, "should be foreign") }
    }

    @Test func aNewerDatabaseIsRefused() async throws {
        try await database.withStore { _ in }
        try database.execute("PRAGMA user_version = 7")
        #expect(throws: OpenError.newer(path: resolved, found: 7, known: known)) { try database.open() }
    }

    @Test func aDatabaseMadeByAChangedMigrationIsRefused() async throws {
        try await database.withStore { _ in }
        try database.execute("UPDATE migrations SET checksum = checksum + 1")
        let error = OpenError.changedMigration(path: resolved, version: 1, name: "layouts")
        #expect(throws: error) { try database.open() }
    }

    @Test func withoutMigratingNothingIsCreated() {
        #expect(throws: OpenError.needsMigration(path: resolved, found: 0, known: known)) {
            try database.configured { $0.migrates = false }.open()
        }
        #expect(!database.folder.files.contains("layouts.db"))
    }

    @Test func withoutItsIdentityADatabaseIsRefused() async throws {
        try await database.withStore { _ in }
        try database.execute("DELETE FROM identity")
        #expect(throws: OpenError.damaged(path: resolved, reason: "its identity is missing")) { try database.open() }
    }

    /// SQLite would replay it into the new database.
    @Test func aLogWithoutItsDatabaseIsNotOverwritten() throws {
        database.write([1, 2, 3], to: "layouts.db-wal")
        let error = #expect(throws: OpenError.self) { try database.open() }
        guard case .cannotCreate = try #require(error) else { return #expect(error == nil, "should be cannotCreate") }
        #expect(database.size(of: "layouts.db-wal") == 3)
    }

    @Test func whatWasLeftOfAnInterruptedCreationIsMadeAnew() async throws {
        database.write([1, 2, 3], to: "layouts.db.new")
        try await database.withStore { try await $0.put(["a"], of: "u1") }
        #expect(!database.folder.files.contains("layouts.db.new"))
    }

    @Test func aFolderThatIsNotThereIsNamed() throws {
        let error = #expect(throws: OpenError.self) {
            try SQLiteLayoutStore.open(.init(.file(database.folder.file("missing/layouts.db"))))
        }
        #expect("\(try #require(error))".contains("No such file or directory"))
    }

    @Test func aFileThatWasCutIsRefused() async throws {
        try await database.withStore { _ in }
        #expect(truncate(database.path, off_t(database.size(of: "layouts.db") - 4_096)) == 0)
        let error = #expect(throws: OpenError.self) { try database.open() }
        guard case .damaged = try #require(error) else { return #expect(error == nil, "should be damaged") }
    }

    @Test func versionsAreCountedFromTheFloor() async throws {
        try await database.withStore { try await $0.put(["a"], of: "u1") }
        try database.execute("UPDATE identity SET version_floor = 1000")
        try await database.withStore { store in
            let next = try await store.put(["b"], of: "u1")
            #expect(next.version == 1_001)
            #expect(try await store.put(["b"], of: "new").version == 1_001)
            #expect(try await store.put(["c"], of: "u1").version == 1_002)
        }
    }

    @Test func everyStartIsWrittenDown() async throws {
        try await database.withStore { _ in }
        try database.execute("UPDATE identity SET started_at = 0")
        try await database.withStore { _ in }
        #expect(try database.integer("SELECT started_at FROM identity") > 0)
    }

    @Test(arguments: [
        OpenError.inUse(path: "x.db"), .empty(path: "x.db"), .foreign(path: "x.db", reason: "why"),
        .newer(path: "x.db", found: 2, known: 1), .changedMigration(path: "x.db", version: 1, name: "layouts"),
        .needsMigration(path: "x.db", found: 0, known: 1), .cannotCreate(path: "x.db", reason: "why"),
        .cannotWrite(path: "x.db", reason: "why"), .damaged(path: "x.db", reason: "why"),
        .io(path: "x.db", reason: "why"),
    ])
    func everyRefusalNamesTheFile(error: OpenError) {
        #expect("\(error)".contains("x.db"))
        #expect("\(error)".hasSuffix("."))
    }

    private var resolved: String { DatabaseFile(database.path).path }
}
