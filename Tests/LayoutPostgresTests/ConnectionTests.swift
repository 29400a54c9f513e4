#if PostgreSQL
    import LayoutPostgres
    import LayoutTesting
    import Testing

    @Suite(.enabled(if: PostgresDatabase.isThere)) struct ConnectionTests {
        private let database: PostgresDatabase
        private let connection: Connection

        init() throws {
            database = try PostgresDatabase()
            connection = try database.connect()
        }

        private var soon: ContinuousClock.Instant { .now + .seconds(30) }

        @Test func valuesGoThereAndBackAsTheyAre() throws {
            let row = try #require(
                try connection.read(
                    "SELECT $1, $2, $3, $4, $5",
                    [.text("财富, \"a\" \\ {}'"), .integer(.min), .bytes([0, 255, 39, 92]), .bytes([]), .text("")],
                    by: soon
                ).first)
            #expect(row.text(0) == "财富, \"a\" \\ {}'")
            #expect(row.integer(1) == .min)
            #expect(row.bytes(2) == [0, 255, 39, 92])
            #expect(row.bytes(3) == [] && !row.isNull(3))
            #expect(row.text(4).isEmpty && !row.isNull(4))
        }

        @Test func listsGoThereAsTheyAre() throws {
            let rows = try connection.read(
                "SELECT a, b, c, d FROM unnest($1, $2, $3, $4) AS t (a, b, c, d)",
                [
                    .texts(["{a,b}", nil, ""]), .integers([1, -1, .max]), .booleans([true, false, true]),
                    .byteStrings([[1], [], [0, 0]]),
                ], by: soon)
            #expect(rows.map { $0.optionalText(0) } == ["{a,b}", nil, ""])
            #expect(rows.map { $0.integer(1) } == [1, -1, .max])
            #expect(rows.map { $0.bool(2) } == [true, false, true])
            #expect(rows.map { $0.bytes(3) } == [[1], [], [0, 0]])
            let none = try connection.read("SELECT * FROM unnest($1)", [.texts([])], by: soon)
            #expect(none.count == 0)
        }

        /// PgBouncer's transaction mode, which the suite stands behind at times, gives each statement to another process.
        @Test func whatComesAgainIsPlannedOnceWhereTheSessionIsOurs() throws {
            for path in [database.directAddress, database.address] {
                let connection = try Connection(to: path, by: soon, grace: .seconds(1))
                for number in 1...4 {
                    let row = try connection.read("SELECT $1 + 1", [.integer(Int64(number))], by: soon).first
                    #expect(row?.integer(0) == Int64(number) + 1)
                }
                let kept = try connection.read(
                    """
                    SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = 'SELECT $1 + 1'
                    """, by: soon)
                let isOurs = path.url == database.directAddress.url
                #expect(kept.map { [$0.integer(0), $0.integer(1)] } == (isOurs ? [[3, 0]] : []))
            }
        }

        /// As a pooler does that is taken for the server itself.
        @Test func aSessionThatForgetsStatementsIsSentThemAsTheyAre() throws {
            func answers() throws -> [Int64?] {
                try (1...3).map { try connection.read("SELECT $1 + 1", [.integer($0)], by: soon).first?.integer(0) }
            }
            let known = try answers()
            try connection.write("DEALLOCATE ALL", by: soon)
            let forgotten = try answers()
            #expect(known == [2, 3, 4] && forgotten == [2, 3, 4])
            #expect(try connection.read("SELECT name FROM pg_prepared_statements", by: soon).count == 0)
        }

        @Test func aNameThatIsTakenIsNotUsed() throws {
            let other = try database.connect()
            for _ in 1...2 { try other.read("SELECT 7::bigint", by: soon) }
            let names = try other.read("SELECT name FROM pg_prepared_statements", by: soon)
            let name = try #require(names.first?.text(0))
            try connection.write("PREPARE \"\(name)\" AS SELECT 8::bigint", by: soon)
            let answers = try (1...3).map { _ in try connection.read("SELECT 7::bigint", by: soon).first?.integer(0) }
            #expect(answers == [7, 7, 7])
        }

        /// A table that has only just been made is small: reading all of it would be the cheapest.
        @Test func whatIsPlannedOnceLooksForKeysWhateverTheTablesHold() throws {
            try connection.write("CREATE TABLE small (number BIGINT PRIMARY KEY)", by: soon)
            let statement = "SELECT s.number FROM unnest($1) AS a (number) JOIN small AS s ON s.number = a.number"
            for _ in 1...2 { try connection.read(statement, [.integers([1])], by: soon) }
            let kept = try connection.read(
                "SELECT name FROM pg_prepared_statements WHERE statement = $1", [.text(statement)], by: soon)
            let name = try #require(kept.first?.text(0))
            let plan = try connection.read("EXPLAIN EXECUTE \"\(name)\" ('{1}')", by: soon).map { $0.text(0) }
            #expect(plan.contains { $0.contains("small_pkey") }, "\(plan)")
        }

        /// The price put on reading all of a table is above that from which a plan is compiled: a tenth of a second each time.
        @Test func noPlanIsCompiled() throws {
            try connection.write("CREATE TABLE keyless AS SELECT 1::bigint AS number", by: soon)
            let plans = try (1...3).map { _ in
                try connection.read("EXPLAIN (ANALYZE) SELECT number + 1 FROM keyless WHERE number > 0", by: soon).map {
                    $0.text(0)
                }
            }
            #expect(plans.allSatisfy { !$0.contains("JIT:") }, "\(plans)")
        }

        /// libpq would wait for ever.
        @Test func aStatementThatTakesTooLongIsStoppedAndTheConnectionGoesOn() throws {
            // The server hears of the stop once it works on the statement, which it may come to late; then it may take its time.
            let connection = try Connection(to: database.directAddress, by: soon, grace: .seconds(30))
            let setback = #expect(throws: Setback.self) {
                try connection.read("SELECT pg_sleep(3600)", by: .now + .seconds(1))
            }
            #expect(setback?.meaning == .canceled)
            #expect(connection.isUsable)
            #expect(try connection.read("SELECT 7::bigint", by: soon).first?.integer(0) == 7)
        }

        @Test func aConnectionThatBreaksIsToldByWhatWasSent() throws {
            let other = try database.connect()
            let processes = try other.read("SELECT pg_backend_pid()::bigint", by: soon)
            try connection.read(
                "SELECT pg_terminate_backend($1::int)", [.integer(processes.first?.integer(0))], by: soon)
            let setback = #expect(throws: Setback.self) { try other.read("SELECT 1", by: soon) }
            #expect(setback?.meaning == .elsewhere)
            #expect(!other.isUsable)
        }

        /// That is how a commit looks which a standby never confirmed.
        @Test func aWarningOnAWriteLeavesItsOutcomeUnknown() throws {
            let setback = #expect(throws: Setback.self) {
                try connection.write("DO $$ BEGIN RAISE WARNING 'committed locally'; END $$", by: soon)
            }
            #expect(setback?.meaning == .unknown)
            #expect(setback?.error.kind == .warned(SQLState("01000")))
        }

        /// Told to stop in its wait for a standby, it would be made on one server alone.
        @Test func aCommitThatTakesTooLongIsNotStopped() throws {
            try connection.write("CREATE TABLE slow (number BIGINT)", by: soon)
            let other = try database.connect()
            try other.read("SELECT pg_advisory_lock(1)", by: soon)
            let setback = #expect(throws: Setback.self) {
                try connection.commit(
                    "INSERT INTO slow SELECT 1 FROM pg_advisory_xact_lock(1)", by: .now + .milliseconds(50))
            }
            #expect(setback?.meaning == .unknown)
            #expect(connection.owesAnswer && !connection.isUsable)
            try other.read("SELECT pg_advisory_unlock(1)", by: soon)
            connection.awaitOwedAnswer { false }
            #expect(!connection.owesAnswer)
            #expect(try other.read("SELECT number FROM slow", by: soon).count == 1)
        }

        @Test func theServersWordsAreNotTakenForALostConnection() throws {
            let setback = #expect(throws: Setback.self) { try connection.write("SELECT 1 / 0", by: soon) }
            #expect(setback?.error.state == .divisionByZero)
            #expect(connection.isUsable)
        }

        /// As a frozen one does: the kernel takes the connection, and nobody says a word.
        @Test func aHostThatSaysNothingIsPassedOver() throws {
            let silent = try SilentHost()
            let url = database.directAddress.url
            let two = ServerAddress(url.replacing("127.0.0.1:", with: "127.0.0.1:\(silent.port),127.0.0.1:"))
            let connection = try Connection(to: two, by: soon, grace: .seconds(1))
            #expect(try connection.read("SELECT 1::bigint", by: soon).count == 1)
        }

        @Test func aHostThatIsNotThereIsPassedOver() throws {
            // Port 1 is nobody's.
            let url = database.directAddress.url
            let two = url.replacing("127.0.0.1:", with: "127.0.0.1:1,127.0.0.1:")
            let connection = try Connection(to: ServerAddress(two), by: soon, grace: .seconds(1))
            #expect(try connection.read("SELECT 1::bigint", by: soon).count == 1)
            let nowhere = #expect(throws: PostgresError.self) {
                _ = try Connection(to: ServerAddress("postgresql://127.0.0.1:1/x"), by: soon, grace: .seconds(1))
            }
            #expect(nowhere?.kind == .unreachable)
        }

        /// As a name that leads nowhere: libpq knows it at once, and has no socket to wait for.
        @Test func whatCannotBeTriedIsToldAtOnce() throws {
            let nowhere = #expect(throws: PostgresError.self) {
                _ = try Connection(to: ServerAddress("postgresql://127.0.0.1:99999/x"), by: soon, grace: .seconds(1))
            }
            #expect(nowhere?.message.contains("99999") == true, "\(String(describing: nowhere))")
        }
    }
#endif
