#if DEBUG
    import Glibc
    import HTTP1
    import HTTPTransport
    import LayoutRecords
    import LayoutSQLite
    #if PostgreSQL
        import LayoutMigrations
        import LayoutPostgres
    #endif

    /// Bugs that a debug build plants into itself when it is told to, so that each fault test can show that it would find them.
    /// `PEGBOARD_SEEDED_FAULT` names them, with commas between. A release build has none of this, and refuses the variable.
    enum SeededFault: String, CaseIterable {
        /// Answers before COMMIT.
        case earlyAck = "early-ack"
        /// `PRAGMA synchronous`: COMMIT doesn't wait for the disk.
        case syncOff = "sync-off"
        case syncNormal = "sync-normal"
        /// Creates the database in its place and migrates it statement by statement.
        case migrationWithoutTransaction = "migration-without-transaction"
        /// Serves rows that the disk changed.
        case noChecksum = "no-checksum"
        /// Hears no `Idempotency-Key`.
        case noIdempotency = "no-idempotency"
        /// Takes every `If-Match` for `*`.
        case ignoreIfMatch = "ignore-if-match"
        /// PostgreSQL: takes a change of which nobody knows whether it was made for done; makes it again.
        case unknownIsDone = "unknown-is-done"
        case unknownIsRepeated = "unknown-is-repeated"
        /// PostgreSQL: refuses on the word of what is only remembered; takes a lost compare-and-set for won.
        case memoryIsBelieved = "memory-is-believed"
        case lostIsWon = "lost-is-won"
        /// PostgreSQL: no bug, but a program that comes after this one, with a migration more; and one whose migration breaks
        /// what a migration may do.
        case nextProgram = "next-program"
        case nextProgramBreaks = "next-program-breaks"
        /// Ends on SIGTERM without waiting for anybody.
        case noDrain = "no-drain"
        /// Takes every connection that comes.
        case noConnectionLimit = "no-connection-limit"
        /// Forgets the descriptors of connections that were closed.
        case leaksSockets = "leaks-sockets"
        /// Takes a peer that has said all for one that is gone.
        case halfClosedIsGone = "half-closed-is-gone"
        /// Never comes back from the first commit; from a request with the method OPTIONS.
        case stuckWriter = "stuck-writer"
        case stuckLoop = "stuck-loop"
        /// No bug: checkpoints so often that a test of a second sees many.
        case manyCheckpoints = "many-checkpoints"

        static let variable = "PEGBOARD_SEEDED_FAULT"

        static let planted: Set<SeededFault> = {
            let names = (Machine.environment[variable] ?? "").split(separator: ",")
            return Set(
                names.map { name in
                    guard let fault = SeededFault(rawValue: String(name)) else {
                        fatalError("\(variable): '\(name)' is none of \(allCases.map(\.rawValue))")
                    }
                    return fault
                })
        }()

        var isPlanted: Bool { Self.planted.contains(self) }
    }

    extension SeededFault {
        static func plant(in configuration: inout SQLiteLayoutStore.Configuration) {
            configuration.faults.answersBeforeCommit = earlyAck.isPlanted
            if syncOff.isPlanted { configuration.faults.synchronous = "OFF" }
            if syncNormal.isPlanted { configuration.faults.synchronous = "NORMAL" }
            configuration.faults.migratesInPieces = migrationWithoutTransaction.isPlanted
            DamageFault.isIgnored = noChecksum.isPlanted
            if stuckWriter.isPlanted { configuration.onCommit = { _ in stayForever() } }
            if manyCheckpoints.isPlanted {
                configuration.checkpointPages = 40
                configuration.quietSeconds = 0.03
            }
        }

        #if PostgreSQL
            static func plant(in configuration: inout PostgresLayoutStore.Configuration) {
                if unknownIsDone.isPlanted { configuration.faults.unknownOutcome = .isTakenForDone }
                if unknownIsRepeated.isPlanted { configuration.faults.unknownOutcome = .isTriedAgain }
                configuration.faults.believesMemory = memoryIsBelieved.isPlanted
                configuration.faults.takesLostForWon = lostIsWon.isPlanted
                if nextProgram.isPlanted { configuration.migrations.append(later(addition)) }
                if nextProgramBreaks.isPlanted { configuration.migrations.append(later(otherType)) }
                DamageFault.isIgnored = noChecksum.isPlanted
            }

            private static func later(_ sql: String) -> Migration {
                Migration(version: [Migration].postgreSQL.count + 1, name: "later", sql: Array(sql.utf8))
            }

            /// What the older program needs not know of.
            private static let addition = """
                ALTER TABLE layouts ADD COLUMN IF NOT EXISTS later TEXT;
                ALTER TABLE revisions ADD COLUMN IF NOT EXISTS later BIGINT NOT NULL DEFAULT 0;
                ALTER TABLE idempotency ADD COLUMN IF NOT EXISTS later BOOLEAN NOT NULL DEFAULT FALSE;
                CREATE TABLE IF NOT EXISTS later (user_id TEXT COLLATE "C" NOT NULL, PRIMARY KEY (user_id));
                CREATE INDEX IF NOT EXISTS layouts_by_age ON layouts (updated_at);

                """

            /// The statements of the older one are written for the type that was.
            private static let otherType = "ALTER TABLE layouts ALTER COLUMN version TYPE DOUBLE PRECISION;\n"
        #endif

        static func plant(in handler: any RequestHandler) -> any RequestHandler {
            ConnectionFault.leaksSockets = leaksSockets.isPlanted
            ConnectionFault.takesHalfClosedForGone = halfClosedIsGone.isPlanted
            if stuckLoop.isPlanted { return StuckHandler(handler: handler) }
            return noIdempotency.isPlanted || ignoreIfMatch.isPlanted ? DeafHandler(handler: handler) : handler
        }
    }

    private func stayForever() { while true { pause() } }

    /// Keeps the event loop for itself when it is asked for OPTIONS.
    private struct StuckHandler: RequestHandler {
        let handler: any RequestHandler

        func delivery(for head: Request) -> ContentDelivery { handler.delivery(for: head) }

        func answer(_ request: Request) -> Answer {
            if request.method == .options { stayForever() }
            return handler.answer(request)
        }

        func answer(_ error: ProtocolError) -> Response { handler.answer(error) }
    }

    /// Passes requests on with some of their fields, and those not always as they came.
    private struct DeafHandler: RequestHandler {
        let handler: any RequestHandler

        func delivery(for head: Request) -> ContentDelivery { handler.delivery(for: head) }

        func answer(_ request: Request) -> Answer {
            var heard = request
            heard.fields = Fields()
            for name: StaticString in ["Host", "Content-Type", "Content-Length", "Idempotency-Key", "If-Match"] {
                guard let value = request.fields.first(name) else { continue }
                if SeededFault.noIdempotency.isPlanted, name.description == "Idempotency-Key" { continue }
                let isTag = name.description == "If-Match"
                heard.fields.append(name: name, value: isTag && SeededFault.ignoreIfMatch.isPlanted ? "*" : value)
            }
            return handler.answer(heard)
        }

        func answer(_ error: ProtocolError) -> Response { handler.answer(error) }
    }
#endif
