import Glibc
package import LayoutMigrations

/// Brings a database to this program's schema, and tells where it stands.
///
/// Several servers may start at once, and an engine may allow one DDL statement a transaction: so each statement is run by
/// itself and can be repeated, and a row says who migrates, for a while. Whoever finds it taken waits until the schema is
/// there, or the time is up and the row free to be taken.
package struct PostgresSchema: Sendable {
    private let pool: ConnectionPool
    private let clock: @Sendable () -> Int64
    private let migrations: [Migration]
    /// What the row says of us.
    private let name = "process \(getpid()), \(UInt32.random(in: 0 ... .max))"

    /// How long a migration may take before another takes it for dead. The clocks of the servers may differ by half of it.
    static let lease = Duration.seconds(60)

    package init(
        pool: ConnectionPool, clock: @escaping @Sendable () -> Int64, migrations: [Migration] = .postgreSQL
    ) {
        self.pool = pool
        self.clock = clock
        self.migrations = migrations
    }

    package func status() async throws(PostgresOpenError) -> MigrationStatus {
        try await PostgresOpenError.telling { try await pool.perform { try status(on: $0, by: $1) } }
    }

    /// - Throws: `PostgresOpenError.needsMigration` where something is pending.
    func requireNewest() async throws(PostgresOpenError) {
        let status = try await status()
        guard status.pending.isEmpty else {
            throw .needsMigration(found: status.steps.count - status.pending.count, known: status.steps.count)
        }
    }

    /// Applies what is pending.
    ///
    /// - Returns: what this call applied; nothing where another server did.
    package func migrate() async throws(PostgresOpenError) -> [MigrationStatus.Step] {
        try await PostgresOpenError.telling {
            try await pool.perform { try prepare(on: $0, by: $1) }
            let giveUp = ContinuousClock.now + Self.lease * 2
            while true {
                let pending = try await status().pending
                if pending.isEmpty { return [] }
                let holder = try await pool.perform { try takeLock(on: $0, by: $1) }
                guard let holder else {
                    let applied = try await apply()
                    try await pool.perform { try releaseLock(on: $0, by: $1) }
                    return applied
                }
                guard .now < giveUp else { throw PostgresOpenError.migrationUnderWay(holder: holder) }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Another may have been quicker while the lock was waited for.
    private func apply() async throws -> [MigrationStatus.Step] {
        let pending = try await status().pending
        for migration in migrations where pending.contains(where: { $0.version == migration.version }) {
            for statement in migration.statements {
                try await pool.perform(within: Self.lease) { connection, deadline in
                    try takeRepeatably { try connection.write(statement, by: deadline) }
                }
                // Still ours, and for another while.
                if let holder = try await pool.perform({ try takeLock(on: $0, by: $1) }) {
                    throw PostgresOpenError.migrationUnderWay(holder: holder)
                }
            }
            try await pool.perform { try record(migration, on: $0, by: $1) }
        }
        return pending
    }

    private func status(on connection: Connection, by deadline: ContinuousClock.Instant) throws -> MigrationStatus {
        try refuseNarrowEncoding(on: connection, by: deadline)
        let rows: Rows
        do {
            rows = try connection.read("SELECT version, checksum, applied_at FROM migrations", by: deadline)
        } catch let setback as Setback where setback.error.state == .undefinedTable {
            try refuseForeignTables(on: connection, by: deadline)
            return MigrationStatus(steps: migrations.map { .init(version: $0.version, name: $0.name, appliedAt: nil) })
        }
        let records = rows.map { (version: Int($0.integer(0)), checksum: $0.integer(1), appliedAt: $0.integer(2)) }
        let (found, known) = (records.map(\.version).max() ?? 0, migrations.last?.version ?? 0)
        guard found <= known else { throw PostgresOpenError.newer(found: found, known: known) }
        let steps = try migrations.map { migration in
            let record = records.first { $0.version == migration.version }
            guard record == nil || record?.checksum == migration.checksum else {
                throw PostgresOpenError.changedMigration(version: migration.version, name: migration.name)
            }
            return MigrationStatus.Step(
                version: migration.version, name: migration.name, appliedAt: record?.appliedAt)
        }
        return MigrationStatus(steps: steps)
    }

    /// It would be found out by the first user whose id has a character too many.
    private func refuseNarrowEncoding(on connection: Connection, by deadline: ContinuousClock.Instant) throws {
        let rows = try connection.read("SELECT current_setting('server_encoding')", by: deadline)
        // SQL_ASCII takes octets as they come.
        if let name = rows.first?.text(0), !["UTF8", "SQL_ASCII"].contains(name) {
            throw PostgresOpenError.encoding(name)
        }
    }

    /// `CREATE TABLE IF NOT EXISTS` would take another program's table for ours.
    private func refuseForeignTables(on connection: Connection, by deadline: ContinuousClock.Instant) throws {
        let rows = try connection.read(
            """
            SELECT t.name FROM unnest($1) AS t (name)
            WHERE to_regclass(t.name) IS NOT NULL AND to_regclass('migration_lock') IS NULL
            """, [.texts(["layouts", "revisions", "idempotency", "catalogs", "erased", "identity"])], by: deadline)
        if let row = rows.first { throw PostgresOpenError.foreign(table: row.text(0)) }
    }

    /// The two tables that migrating itself needs.
    private func prepare(on connection: Connection, by deadline: ContinuousClock.Instant) throws {
        _ = try status(on: connection, by: deadline)
        try takeRepeatably {
            try connection.write(
                """
                CREATE TABLE IF NOT EXISTS migration_lock
                    (one BIGINT NOT NULL, holder TEXT NOT NULL, until BIGINT NOT NULL, PRIMARY KEY (one))
                """, by: deadline)
        }
        try takeRepeatably {
            try connection.write(
                """
                CREATE TABLE IF NOT EXISTS migrations (version BIGINT NOT NULL, name TEXT NOT NULL,
                    checksum BIGINT NOT NULL, applied_at BIGINT NOT NULL, PRIMARY KEY (version))
                """, by: deadline)
        }
    }

    /// Two servers that create the same table at once: `IF NOT EXISTS` doesn't see what the other has not committed yet, and
    /// one of them meets the other's name or row in the system's tables. A statement that can be repeated may also be, where
    /// nobody knows what became of it.
    private func takeRepeatably(_ body: () throws -> Rows) throws {
        do { _ = try body() } catch let setback as Setback {
            let isCrossed = ["23505", "42710", "42P07"].contains(setback.error.state?.code)
            guard isCrossed || setback.meaning == .unknown else { throw setback }
            throw Setback(meaning: .conflict, error: setback.error)
        }
    }

    /// - Returns: nil when it is ours for `lease` from now on, else who has it.
    private func takeLock(on connection: Connection, by deadline: ContinuousClock.Instant) throws -> String? {
        let now = clock()
        let until = now + Self.lease.components.seconds * 1_000
        let rows = try connection.write(
            """
            INSERT INTO migration_lock AS l (one, holder, until) VALUES (1, $1, $2)
            ON CONFLICT (one) DO UPDATE SET holder = excluded.holder, until = excluded.until
            WHERE l.until < $3 OR l.holder = excluded.holder RETURNING holder
            """, [.text(name), .integer(until), .integer(now)], by: deadline)
        if rows.count == 1 { return nil }
        let holders = try connection.read("SELECT holder FROM migration_lock", by: deadline)
        return holders.first?.text(0) ?? "nobody"
    }

    private func releaseLock(on connection: Connection, by deadline: ContinuousClock.Instant) throws {
        try connection.write(
            "DELETE FROM migration_lock WHERE one = 1 AND holder = $1", [.text(name)], by: deadline)
    }

    private func record(
        _ migration: Migration, on connection: Connection, by deadline: ContinuousClock.Instant
    ) throws {
        try connection.write(
            """
            WITH identified AS (
                INSERT INTO identity (one, id, created_at, version_floor) VALUES (1, $5, $4, 0) ON CONFLICT (one) DO NOTHING
            )
            INSERT INTO migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (version) DO NOTHING
            """,
            [
                .integer(Int64(migration.version)), .text(migration.name), .integer(migration.checksum),
                .integer(clock()), .text(Self.newIdentity()),
            ], by: deadline)
    }

    /// 128 random bits, as SQLite's database has them.
    private static func newIdentity() -> String {
        (0..<32).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
    }
}

extension Migration {
    /// Each ends with a semicolon at the end of a line; comments are lines of their own.
    var statements: [String] {
        var (statements, lines) = ([String](), [Substring]())
        for line in String(decoding: sql, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("--") {
            let isLast = line.hasSuffix(";")
            lines.append(isLast ? line.dropLast() : line)
            if isLast {
                statements.append(lines.joined(separator: "\n"))
                lines = []
            }
        }
        return statements
    }
}
