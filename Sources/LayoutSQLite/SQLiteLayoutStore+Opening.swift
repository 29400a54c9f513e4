import LayoutApplication
import LayoutMigrations

extension SQLiteLayoutStore {
    package struct Configuration: Sendable {
        package var location: Location
        /// Versions of a layout that stay, the newest among them; at least 1.
        package var historyKept = 50
        package var cacheBytes = 64 << 20
        /// Changes, and reads a connection, that may wait; beyond it they are refused as `StoreError.busy`.
        package var waitingLimit = 4096
        /// False: a database that is older than this program is refused, and none is created.
        package var migrates = true
        /// How long the write-ahead log gets before it is copied into the database. 40 MB: fewer checkpoints write each page
        /// of the database less often (measured: 1,000 pages more than double the p99).
        package var checkpointPages = 10_000
        /// How long nothing was written before the log is emptied.
        package var quietSeconds = 1.0
        /// Called on the writer's queue after each transaction was answered.
        package var onCommit: @Sendable (CommitReport) -> Void = { _ in }
        package var faults = Faults()

        package init(_ location: Location) { self.location = location }

        package enum Location: Sendable {
            case file(String)
            /// Gone with the store; for trying things out.
            case memory
        }

        /// What a fault test breaks on purpose, to see itself fail. Nothing else may touch it.
        package struct Faults: Sendable {
            package var synchronous = "FULL"
            package var answersBeforeCommit = false
            /// Creates the database in its place, and migrates it without a transaction.
            package var migratesInPieces = false
        }
    }

    /// Opens everything the store will ever need, reads once and writes once: what cannot work is found here, and not by
    /// the first user. Blocks.
    package static func open(_ configuration: Configuration) throws(OpenError) -> SQLiteLayoutStore {
        switch configuration.location {
        case .file(let path): try open(DatabaseFile(path), configuration)
        case .memory: try openInMemory(configuration)
        }
    }

    private static func open(
        _ file: DatabaseFile, _ configuration: Configuration
    ) throws(OpenError) -> SQLiteLayoutStore {
        let lock = try FileLock(forDatabaseAt: file.path)
        let migrator = Migrator(inPieces: configuration.faults.migratesInPieces)
        if try !file.exists() {
            try require(migrator.nothingApplied, at: file.path, configuration)
            try file.create(migrator)
        }
        let connection = try file.open(.readWrite)
        return try OpenError.telling(of: file.path) {
            try require(migrator.status(of: connection), at: file.path, configuration)
            try connection.becomeWriter(synchronous: configuration.faults.synchronous)
            try migrator.migrate(connection)
            let writer = try ConnectionQueue(connection, name: "writer", waitingLimit: configuration.waitingLimit)
            let readers = try (1...2).map { number in
                let connection = try file.open(.readWrite)
                try connection.becomeReader()
                return try ConnectionQueue(
                    connection, name: "reader\(number)", waitingLimit: configuration.waitingLimit)
            }
            try file.probeFolder()
            return try assemble(writer, readers, lock, configuration, at: file.path)
        }
    }

    /// One connection for everything: two would be two databases.
    private static func openInMemory(_ configuration: Configuration) throws(OpenError) -> SQLiteLayoutStore {
        try OpenError.telling(of: ":memory:") {
            let connection = try Connection(":memory:", .readWrite)
            try connection.becomeWriter(synchronous: "OFF")
            try Migrator().migrate(connection)
            let only = try ConnectionQueue(connection, name: "memory", waitingLimit: configuration.waitingLimit)
            return try assemble(only, [only], nil, configuration, at: ":memory:")
        }
    }

    private static func require(
        _ status: MigrationStatus, at path: String, _ configuration: Configuration
    ) throws(OpenError) {
        guard configuration.migrates || status.pending.isEmpty else {
            let found = status.steps.count - status.pending.count
            throw .needsMigration(path: path, found: found, known: status.steps.count)
        }
    }

    private static func assemble(
        _ writer: ConnectionQueue, _ readers: [ConnectionQueue], _ lock: FileLock?, _ configuration: Configuration,
        at path: String
    ) throws -> SQLiteLayoutStore {
        // A read by a connection that reads, a write by the one that writes.
        guard let identity = try readers[0].tables.identity.identity() else {
            throw OpenError.damaged(path: path, reason: "its identity is missing")
        }
        try writer.tables.identity.markStart()
        let cache = LayoutCache(bytes: configuration.cacheBytes)
        let settings = WriteSettings(
            waitingLimit: configuration.waitingLimit, checkpointPages: configuration.checkpointPages,
            quietSeconds: configuration.quietSeconds, onCommit: configuration.onCommit,
            answersBeforeCommit: configuration.faults.answersBeforeCommit)
        let commits = CommitCount()
        let pool = ReaderPool(
            try readers.map { try Reader($0, commits: commits) }, readsAtOnce: !readers.contains { $0 === writer })
        return SQLiteLayoutStore(
            cache: cache, readers: pool,
            writer: try GroupCommit(
                on: writer, cache: cache, commits: commits, versionFloor: identity.versionFloor, settings),
            lock: lock, historyKept: max(configuration.historyKept, 1))
    }
}
