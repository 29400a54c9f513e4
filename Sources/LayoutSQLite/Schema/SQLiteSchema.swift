package import LayoutMigrations

/// What `pegboard migrate` does with a database's file.
package enum SQLiteSchema {
    /// Where the schema stands. It only reads, so it may be asked while a server runs.
    package static func status(ofDatabaseAt path: String) throws(OpenError) -> MigrationStatus {
        let file = DatabaseFile(path)
        guard try file.exists() else { return Migrator().nothingApplied }
        let connection = try file.open(.readOnly)
        return try OpenError.telling(of: file.path) { try Migrator().status(of: connection) }
    }

    /// Brings the schema to this program's, or only tries to.
    ///
    /// - Returns: the migrations that were applied, or would be.
    /// - Throws: `.inUse` while a server runs.
    package static func migrate(databaseAt path: String, dryRun: Bool) throws(OpenError) -> [MigrationStatus.Step] {
        let file = DatabaseFile(path)
        let lock = try FileLock(forDatabaseAt: file.path)
        defer { lock.release() }
        guard try file.exists() else { return try createdSteps(file, dryRun) }
        let connection = try file.open(.readWrite)
        return try OpenError.telling(of: file.path) {
            try dryRun ? Migrator().rehearse(connection) : Migrator().migrate(connection)
        }
    }

    private static func createdSteps(_ file: DatabaseFile, _ dryRun: Bool) throws(OpenError) -> [MigrationStatus.Step] {
        if dryRun {
            return try OpenError.telling(of: file.path) { try Migrator().rehearse(Connection(":memory:", .readWrite)) }
        }
        try file.create(Migrator())
        return Migrator().nothingApplied.steps
    }
}
