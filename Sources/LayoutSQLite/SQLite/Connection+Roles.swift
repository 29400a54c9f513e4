extension Connection {
    /// The one connection that writes, and checkpoints. SQLite before 3.51.3 can damage a database on which two connections
    /// do that at the same moment (https://sqlite.org/releaselog/3_51_3.html), and a second writer would only wait.
    func becomeWriter(synchronous: String) throws {
        let mode = try text("PRAGMA journal_mode = WAL")
        guard mode == "wal" || mode == "memory" else {
            throw SQLError(
                code: .cannotOpen, systemError: 0, message: "no write-ahead log here", action: "journal_mode")
        }
        try execute("PRAGMA synchronous = \(synchronous)")
        // 16 MiB of pages; sorting in memory; deleted rows are overwritten where that costs no further page.
        try execute("PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = FAST")
        try becomeCareful()
        countsWALPages()
    }

    func becomeReader() throws {
        // 16 MiB: of a million users with a layout each, all pages but the leaves.
        try execute("PRAGMA query_only = ON; PRAGMA cache_size = -16384")
        try becomeCareful()
    }

    /// For a look at a database that may be another process's, for which it must be open read-only: nothing is written, and no
    /// checkpoint is made when it closes. Not `query_only`, which would forbid VACUUM INTO as well.
    func becomeVisitor() throws {
        try execute("PRAGMA busy_timeout = 5000; PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY")
        try becomeCareful()
        try leaveLogAlone()
    }

    /// No foreign keys to look after, no function of the schema's that is not SQLite's own, pages looked at when they are
    /// read, and no checkpoint inside somebody's COMMIT.
    private func becomeCareful() throws {
        try execute(
            """
            PRAGMA foreign_keys = OFF; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
            PRAGMA wal_autocheckpoint = 0
            """)
    }
}
