package import LayoutMigrations
import LayoutModel

/// Brings a database to this program's schema, one migration after the other, and tells where it stands.
package struct Migrator: Sendable {
    private let migrations: [Migration]
    /// See `SQLiteLayoutStore.Configuration.Faults.migratesInPieces`.
    let isInPieces: Bool

    package init(_ migrations: [Migration] = .sqlite, inPieces: Bool = false) {
        self.migrations = migrations
        isInPieces = inPieces
    }

    /// Where a database that does not exist yet would stand.
    package var nothingApplied: MigrationStatus {
        MigrationStatus(
            steps: migrations.map { MigrationStatus.Step(version: $0.version, name: $0.name, appliedAt: nil) })
    }

    /// - Throws: `OpenError.newer`, `.changedMigration`.
    package func status(of connection: Connection) throws -> MigrationStatus {
        let found = try connection.integer("PRAGMA user_version")
        let known = migrations.last?.version ?? 0
        guard found <= known else { throw OpenError.newer(path: connection.path, found: found, known: known) }
        let applied = found == 0 ? [:] : try records(connection)
        let steps = try migrations.map { migration in
            let record = applied[migration.version]
            // A schema at `found` was made by all up to it, each with the text it has now.
            guard migration.version > found || record?.checksum == migration.checksum else {
                throw OpenError.changedMigration(
                    path: connection.path, version: migration.version, name: migration.name)
            }
            return MigrationStatus.Step(version: migration.version, name: migration.name, appliedAt: record?.appliedAt)
        }
        return MigrationStatus(steps: steps)
    }

    /// Applies what is pending. Each migration is one transaction, with its record and `user_version` inside it: whenever
    /// the machine stops, the schema is the old one or the new one.
    @discardableResult
    package func migrate(_ connection: Connection) throws -> [MigrationStatus.Step] {
        let pending = try status(of: connection).pending
        for migration in migrations where pending.contains(where: { $0.version == migration.version }) {
            try transaction(on: connection, ending: "COMMIT") { try apply(migration, to: connection) }
        }
        return pending
    }

    /// Applies what is pending and takes it back: what would fail fails here.
    package func rehearse(_ connection: Connection) throws -> [MigrationStatus.Step] {
        let pending = try status(of: connection).pending
        try transaction(on: connection, ending: "ROLLBACK") {
            for migration in migrations where pending.contains(where: { $0.version == migration.version }) {
                try apply(migration, to: connection)
            }
        }
        return pending
    }

    private func apply(_ migration: Migration, to connection: Connection) throws {
        try connection.execute(String(decoding: migration.sql, as: UTF8.self))
        try connection.prepare(
            "INSERT INTO migrations (version, name, checksum, applied_at) VALUES (?1, ?2, ?3, unixepoch() * 1000)"
        ).run(migration.version, migration.name, migration.checksum)
        // A PRAGMA takes no bound value; this one is our own number.
        try connection.execute("PRAGMA user_version = \(migration.version)")
    }

    private func transaction(on connection: Connection, ending end: String, _ body: () throws -> Void) throws {
        if isInPieces { return try body() }
        try connection.execute("BEGIN IMMEDIATE")
        do {
            try body()
            try connection.execute(end)
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    private func records(_ connection: Connection) throws -> [Int: (checksum: Int64, appliedAt: Timestamp)] {
        let rows = try connection.prepare("SELECT version, checksum, applied_at FROM migrations").all {
            (Int($0.integer(0)), (checksum: $0.integer(1), appliedAt: $0.integer(2)))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}
