import Dispatch
import Glibc
import LayoutApplication
import LayoutModel
import LayoutRecords
import LayoutSQLite
import LayoutTesting
import Locking
import Testing

@Suite struct BackupTests {
    private let database = Database()
    private let copy = Database()

    /// 64 writers go on while copies are made: what was answered before a copy began is in it.
    @Test func whatWasAnsweredBeforeItBeganIsInIt() async throws {
        let answered = Answered()
        try await database.withStore { store in
            try await withThrowingTaskGroup { group in
                for number in 0..<64 {
                    group.addTask {
                        let user = UserID("u\(number)")!
                        while !answered.isOver {
                            let version = try await store.put(["a", "b"], of: user).version
                            answered.note(version, of: user)
                        }
                    }
                }
                group.addTask {
                    defer { answered.end() }
                    while answered.versions.count < 64 { await Task.yield() }
                    for round in 0..<5 {
                        let before = answered.versions
                        let name = "copy\(round).db"
                        try await backUp(to: copy.folder.file(name))
                        let inCopy = try versions(in: copy.folder.file(name))
                        for (user, version) in before { #expect(inCopy[user.text] ?? 0 >= version) }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(copy.folder.files == Set((0..<5).map { "copy\($0).db" }))
    }

    @Test func aCopyIsADatabase() async throws {
        try await database.withStore { store in
            try await store.put(["a"], of: "u1")
            let summary = try await backUp(to: copy.path)
            #expect(summary.census.layouts == 1)
            #expect(summary.bytes == copy.size(of: "layouts.db"))
        }
        try await copy.withStore { store in
            let layout = try await store.layout(of: "u1").layout
            #expect(layout.favorites == ["a"])
        }
        var status = stat()
        #expect(stat(copy.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test func whatIsThereIsNotReplacedUnasked() async throws {
        try await database.withStore { _ in }
        copy.write([1, 2, 3])
        await #expect(throws: CopyError.exists(path: copy.path)) { try await backUp(to: copy.path) }
        #expect(copy.size(of: "layouts.db") == 3)
        try await backUp(to: copy.path, replacing: true)
        #expect(copy.folder.files == ["layouts.db"])
    }

    @Test func theLogOfAnOlderCopyIsNotTheNewOnes() async throws {
        try await database.withStore { store in try await store.put(["a"], of: "u1") }
        try await backUp(to: copy.path)
        // Somebody changed the copy and was killed: a log is left beside it.
        let connection = try Connection(copy.path, .readWrite)
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; DELETE FROM layouts")
        #expect(link(copy.path + "-wal", copy.path + "-kept") == 0)
        try connection.close()
        #expect(rename(copy.path + "-kept", copy.path + "-wal") == 0)
        try await database.withStore { store in try await store.put(["a", "b"], of: "u1") }
        try await backUp(to: copy.path, replacing: true)
        try await copy.withStore { store in
            let layout = try await store.layout(of: "u1").layout
            #expect(layout.favorites == ["a", "b"])
        }
    }

    @Test(arguments: ["", "-wal", "-shm", ".lock"]) func theDatabaseIsNoPlaceForACopy(suffix: String) async throws {
        try await database.withStore { store in
            await #expect(throws: CopyError.sameFile(path: database.path + suffix)) {
                try await backUp(to: database.path + suffix, replacing: true)
            }
            try await store.put(["a"], of: "u1")
        }
    }

    @Test func anotherNameOfTheDatabaseIsNoPlaceEither() async throws {
        try await database.withStore { _ in }
        #expect(link(database.path, copy.path) == 0)
        await #expect(throws: CopyError.sameFile(path: copy.path)) { try await backUp(to: copy.path, replacing: true) }
    }

    @Test func whatAnInterruptedOneLeftIsMadeAnew() async throws {
        try await database.withStore { _ in }
        copy.write(Array(repeating: 7, count: 100_000), to: "layouts.db.partial~")
        try await backUp(to: copy.path)
        #expect(copy.folder.files == ["layouts.db"])
    }

    /// An earlier release called its drafts so, and a user may call a copy so.
    @Test func anotherCopyIsNoDraft() async throws {
        try await database.withStore { store in try await store.put(["a"], of: "u1") }
        try await backUp(to: copy.path + ".partial")
        try await backUp(to: copy.path)
        #expect(copy.folder.files == ["layouts.db", "layouts.db.partial"])
        #expect(try versions(in: copy.path + ".partial") == ["u1": 1])
    }

    @Test(arguments: [".partial~", ".restoring~", "-wal", "-shm", "-journal", "-wal.partial~"])
    func aNameThatBelongsToAnotherFileIsRefused(suffix: String) async throws {
        try await database.withStore { _ in }
        await #expect(throws: CopyError.reservedName(path: copy.path + suffix)) {
            try await backUp(to: copy.path + suffix, replacing: true)
        }
        #expect(copy.folder.files == [])
    }

    /// Whatever it is, it would be the new copy's log.
    @Test func whatStandsWhereItsLogWouldBeIsNotDeletedUnasked() async throws {
        try await database.withStore { _ in }
        copy.write([1, 2, 3], to: "layouts.db-wal")
        await #expect(throws: CopyError.exists(path: copy.path + "-wal")) { try await backUp(to: copy.path) }
        #expect(copy.folder.files == ["layouts.db-wal"])
        try await backUp(to: copy.path, replacing: true)
        #expect(copy.folder.files == ["layouts.db"])
    }

    /// Earlier releases took `me` for a user's id: its rows are read and copied, and whoever verifies is told.
    @Test func aUserCalledMeIsNamedAndHindersNoCopy() async throws {
        try await database.withStore { store in
            try await store.put(["a"], of: .me)
            #expect(try await store.layouts(after: nil, limit: 9).map(\.user) == [.me])
        }
        try await backUp(to: copy.path)
        let report = try Audit.run(onDatabaseAt: database.path, readCatalog: { _ in }, progress: { _ in })
        #expect(report.findings.map(\.key) == ["me"])
    }

    @Test func twoAtOnceToOnePlaceAreOne() async throws {
        try await database.withStore { _ in }
        let partial = copy.folder.file("layouts.db.partial~")
        let descriptor = open(partial, O_RDWR | O_CREAT, 0o600)
        #expect(flock(descriptor, LOCK_EX) == 0)
        await #expect(throws: CopyError.underWay(path: copy.path)) { try await backUp(to: copy.path) }
        close(descriptor)
        try await backUp(to: copy.path)
    }

    @Test func aDamagedDatabaseMakesNoCopy() async throws {
        try await database.withStore { store in for _ in 1...3 { try await store.put(["a"], of: "u1") } }
        try database.execute("UPDATE layouts SET items = 'b'")
        await #expect(throws: CopyError.self) { try await backUp(to: copy.path) }
        #expect(copy.folder.files == [])
    }

    @Test func whereNoFileCanBeMadeNothingIsLeft() async throws {
        try await database.withStore { _ in }
        await #expect(throws: OpenError.self) { try await backUp(to: copy.folder.file("missing/copy.db")) }
        #expect(copy.folder.files == [])
    }

    @discardableResult
    private func backUp(to destination: String, replacing: Bool = false) async throws -> Backup.Summary {
        let path = database.path
        return try await offPool {
            try Backup.make(ofDatabaseAt: path, at: destination, replacing: replacing, readCatalog: { _ in })
        }
    }

    private func versions(in path: String) throws -> [String: Version] {
        let connection = try Connection(path, .readOnly)
        let rows = try connection.prepare("SELECT user_id, version FROM layouts").all { ($0.text(0), $0.integer(1)) }
        try connection.close()
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

@Suite struct RestoreTests {
    private let database = Database()
    private let copy = Database()
    private static let now: Timestamp = 1_796_011_200_500

    @Test func versionsGoOnAboveTheLostOnes() async throws {
        try await backUp { store in
            for _ in 1...3 { try await store.put(["a"], of: "u1") }
        } thenLose: { store in
            for _ in 1...4 { try await store.put(["b"], of: "u1") }
            for _ in 1...9 { try await store.put(["c"], of: "u2") }
        }
        let summary = try restore()
        #expect(summary.census.versionFloor == 1_796_011_201_000, "the time, rounded up")
        try await database.withStore { store in
            let layout = try await store.layout(of: "u1").layout
            #expect(layout.version == 3)
            #expect(try await store.put(["d"], of: "u1").version == 1_796_011_201_001)
            #expect(try await store.put(["d"], of: "u2").version == 1_796_011_201_001)
        }
    }

    /// With a clock that stands still the old database, as long as it can be read, is enough.
    @Test func aStoppedClockDoesNotReuseVersions() async throws {
        try await backUp { store in
            try await store.put(["a"], of: "u1")
        } thenLose: { _ in
        }
        var newest: Version = 1
        for _ in 0..<3 {
            try restore(now: 0)
            try await database.withStore { store in
                let version = try await store.put(["b"], of: "u1").version
                #expect(version > newest)
                newest = version
            }
        }
    }

    /// The same copy again, each time on a machine that knows nothing of the time before.
    @Test func theSameCopyTwiceDoesNotReuseVersions() async throws {
        try await backUp { store in
            try await store.put(["a"], of: "u1")
        } thenLose: { _ in
        }
        var newest: Version = 1
        for minutes in 0..<3 as Range<Timestamp> {
            for suffix in ["", "-wal", "-shm"] { unlink(database.path + suffix) }
            try restore(now: Self.now + minutes * 60_000)
            try await database.withStore { store in
                for _ in 0..<100 {
                    let version = try await store.put(["b"], of: "u1").version
                    #expect(version > newest)
                    newest = version
                }
            }
        }
    }

    @Test func versionsOfTheErasedCountAsUsed() async throws {
        try await backUp { _ in
        } thenLose: { store in
            for _ in 1...5 { try await store.put(["a"], of: "u1") }
            _ = try await store.erase("u1")
        }
        try restore(now: 0)
        try await database.withStore { store in
            let next = try await store.put(["b"], of: "u1")
            #expect(next.version > 5)
        }
    }

    @Test func catalogsGoOnAboveTheLostOnes() async throws {
        try await backUp {
            try await $0.publish(1)
        } thenLose: {
            try await $0.publish(2)
        }
        let summary = try restore()
        #expect(summary.census.newestCatalog == 1_796_011_200)
        try await database.withStore { store in
            let current = try #require(try await store.currentCatalog())
            #expect(current.summary.revision == 1_796_011_200)
            #expect(current.document == Array("catalog 1".utf8), "what was in force is in force")
            #expect(try await store.catalog(revision: 2) == nil)
        }
    }

    @Test func whoWasErasedSinceIsCounted() async throws {
        try await backUp { store in
            for user in ["u1", "u2", "u3"] as [UserID] { try await store.put(["a"], of: user) }
            _ = try await store.erase("u3")
        } thenLose: { store in
            _ = try await store.erase("u2")
        }
        #expect(try restore().erasedSince == 1)
    }

    @Test func theOldDatabaseIsKeptWhole() async throws {
        try await backUp { store in
            try await store.put(["a"], of: "u1")
        } thenLose: { store in
            try await store.put(["b"], of: "u1")
        }
        let kept = try #require(try restore().kept)
        #expect(kept.hasSuffix("/layouts.db.before-restore-20261130T040000Z"))
        let old = try SQLiteLayoutStore.open(.init(.file(kept)))
        #expect(try await old.layout(of: "u1").layout.version == 2)
        await old.close()
        #expect(try restore().kept?.hasSuffix("20261130T040000Z-2") == true, "and the next one beside it")
    }

    /// The server was killed, and its log is still there: it is the old database's, and none of it reaches the new one.
    @Test func theOldLogGoesWithTheOldDatabase() async throws {
        try await backUp { store in
            try await store.put(["a"], of: "u1")
        } thenLose: { _ in
        }
        let killed = Database()
        try await database.withStore { store in
            for number in 0..<50 { try await store.put(["b"], of: UserID("u\(number)")!) }
            for suffix in ["", "-wal"] { try copyFile(database.path + suffix, killed.path + suffix) }
        }
        #expect(killed.size(of: "layouts.db-wal") > 0)
        let kept = try #require(try restore(to: killed).kept)
        try await killed.withStore { store in
            let layout = try await store.layout(of: "u1").layout
            #expect(layout.favorites == ["a"])
            #expect(try await store.layouts(after: nil, limit: 100).count == 1)
        }
        let old = try SQLiteLayoutStore.open(.init(.file(kept)))
        #expect(try await old.layouts(after: nil, limit: 100).count == 50)
        await old.close()
    }

    @Test func aRuinIsSetAsideWithItsLog() async throws {
        try await backUp { store in
            try await store.put(["a"], of: "u1")
        } thenLose: { _ in
        }
        database.write(Array(repeating: 9, count: 5_000))
        database.write(Array(repeating: 8, count: 3_000), to: "layouts.db-wal")
        let summary = try restore()
        #expect(summary.erasedSince == nil)
        let kept = try #require(summary.kept).split(separator: "/").last.map(String.init)!
        #expect(database.size(of: kept) == 5_000)
        #expect(database.size(of: "\(kept)-wal") == 3_000)
        try await database.withStore { store in
            let layout = try await store.layout(of: "u1").layout
            #expect(layout.favorites == ["a"])
        }
    }

    @Test(arguments: [
        "UPDATE layouts SET items = 'b'", "DELETE FROM revisions WHERE version = 2", "DELETE FROM identity",
        "PRAGMA application_id = 7", "PRAGMA user_version = 9", "UPDATE migrations SET checksum = 1",
        "DROP TABLE erased",
        "UPDATE identity SET id = 'abababababababababababababababab'",
    ])
    func aCopyThatIsNotWholeIsRefusedBeforeAnythingIsTouched(harm: String) async throws {
        try await backUp { store in
            for _ in 1...3 { try await store.put(["a"], of: "u1") }
        } thenLose: { _ in
        }
        try copy.execute(harm)
        try refuses()
    }

    @Test(arguments: [0, 3, 5_000, -4_096]) func aCopyThatWasCutIsRefused(size: Int) async throws {
        try await backUp { store in
            try await store.put(["a"], of: "u1")
        } thenLose: { _ in
        }
        #expect(truncate(copy.path, off_t(size < 0 ? copy.size(of: "layouts.db") + size : size)) == 0)
        try refuses()
    }

    @Test func whatIsNotThereOrTheDatabaseItselfIsRefused() async throws {
        try await backUp { _ in
        } thenLose: { _ in
        }
        unlink(copy.path)
        try refuses()
        #expect(link(database.path, copy.path) == 0)
        try refuses()
    }

    @Test func anotherDatabasesCopyIsTakenWhenToldTo() async throws {
        try await backUp { _ in
        } thenLose: { _ in
        }
        let id = "abababababababababababababababab"
        try copy.execute("UPDATE identity SET id = '\(id)'")
        #expect(throws: CopyError.self) { try restore() }
        #expect(try restore(force: true).census.databaseID == id)
    }

    @Test func underAServerNothingIsRestored() async throws {
        try await backUp { _ in
        } thenLose: { _ in
        }
        try await database.withStore { store in
            #expect(throws: OpenError.inUse(path: DatabaseFile(database.path).path)) { try restore() }
            try await store.put(["a"], of: "u1")
        }
    }

    @Test func aFloorIsAboveEverythingKnown() {
        #expect(VersionFloor.after(0, at: 0) == 1_000_000)
        #expect(VersionFloor.after(1, at: 0) == 1_001_000)
        #expect(VersionFloor.after(5, at: 1_796_011_200_000) == 1_796_011_200_000)
        #expect(VersionFloor.after(5, at: 1_796_011_200_001) == 1_796_011_201_000)
        #expect(VersionFloor.after(1_796_011_200_000, at: 1_796_011_200_001) == 1_796_012_200_000)
        #expect(VersionFloor.after(5, at: .max) < 1 << 52, "a broken clock leaves room")
        #expect(VersionFloor.after(5, at: .min) == 1_001_000)
        #expect(VersionFloor.catalogRevision(after: 7, at: 0) == 1_007)
        #expect(VersionFloor.catalogRevision(after: 7, at: 1_796_011_200_000) == 1_796_011_200)
    }

    // MARK: -

    private func backUp(
        _ before: (SQLiteLayoutStore) async throws -> Void, thenLose after: (SQLiteLayoutStore) async throws -> Void
    ) async throws {
        try await database.withStore { store in
            try await before(store)
            let (path, destination) = (database.path, copy.path)
            _ = try await offPool {
                try Backup.make(ofDatabaseAt: path, at: destination, replacing: false, readCatalog: { _ in })
            }
            try await after(store)
        }
    }

    @discardableResult
    private func restore(
        to database: Database? = nil, now: Timestamp = now, force: Bool = false
    ) throws -> Restore.Summary {
        var restore = Restore(
            source: copy.path, database: (database ?? self.database).path, now: now, readCatalog: { _ in },
            renumberCatalog: { record, revision, time in
                CatalogRecord(
                    summary: .init(
                        revision: revision, layoutRevision: revision, publishedAt: time, publishedBy: "restore"),
                    document: record.document)
            })
        restore.force = force
        return try restore.run()
    }

    private func refuses() throws {
        let before = (try contents(), database.folder.files)
        #expect(throws: (any Error).self) { try restore() }
        #expect((try contents(), database.folder.files) == before)
    }

    private func contents() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: database.size(of: "layouts.db"))
        let descriptor = open(database.path, O_RDONLY)
        defer { close(descriptor) }
        let count = bytes.count
        #expect(read(descriptor, &bytes, count) == count)
        return bytes
    }

    private func copyFile(_ from: String, _ to: String) throws {
        let (source, target) = (open(from, O_RDONLY), open(to, O_WRONLY | O_CREAT, 0o600))
        // The store has the source open: closing another descriptor of it would let go of its locks.
        defer { close(target) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(source, &buffer, buffer.count)
            if count <= 0 { return }
            #expect(write(target, buffer, count) == count)
        }
    }
}

extension SQLiteLayoutStore {
    fileprivate func publish(_ revision: Int) async throws {
        _ = try await publish { _ in
            CatalogRecord(
                summary: .init(revision: revision, layoutRevision: revision, publishedAt: 1, publishedBy: "op"),
                document: Array("catalog \(revision)".utf8))
        }
    }
}

/// The versions that writers were answered so far.
private final class Answered: Sendable {
    private let state = Mutex((versions: [UserID: Version](), isOver: false))
    var versions: [UserID: Version] { state.withLock { $0.versions } }
    var isOver: Bool { state.withLock { $0.isOver } }
    func note(_ version: Version, of user: UserID) { state.withLock { $0.versions[user] = version } }
    func end() { state.withLock { $0.isOver = true } }
}

/// Runs what blocks away from the threads that all tests share.
private func offPool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Swift.Result(catching: body)) }
    }
}
