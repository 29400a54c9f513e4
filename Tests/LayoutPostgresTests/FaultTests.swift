#if PostgreSQL
    import LayoutApplication
    import LayoutModel
    import LayoutPostgres
    import LayoutTesting
    import Testing

    /// What the server, and the way to it, can do to a store.
    @Suite(.enabled(if: PostgresDatabase.isThere)) struct FaultTests {
        private let database: PostgresDatabase

        init() throws { database = try PostgresDatabase() }

        /// Breaks the store's connections, or those that a pooler has for it.
        ///
        /// - Returns: how many, once they are broken.
        private func breakConnections(through connection: Connection) throws -> Int64 {
            let rows = try connection.write(
                """
                SELECT count(*) FILTER (WHERE pg_terminate_backend(pid, 30000)) FROM pg_stat_activity
                WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
                """, by: .now + .seconds(60))
            return rows.first?.integer(0) ?? 0
        }

        @Test func idleConnectionsThatBreakAreNotNoticed() async throws {
            try await database.withStore { store in
                let breaker = try database.connect()
                for round in 1...5 as ClosedRange<Version> {
                    #expect(try breakConnections(through: breaker) > 0)
                    let written = try await store.put(["a"], of: "u1").version
                    #expect(written == round)
                    #expect(try breakConnections(through: breaker) > 0)
                    let read = try await store.layout(of: "u1").layout.version
                    #expect(read == round)
                }
            }
        }

        @Test func connectionsThatAreOldAreReplaced() async throws {
            func opened(upToAge age: Duration) async throws -> Int {
                var count = 0
                try await database.withStore {
                    $0.connections = 1
                    $0.connectionAge = age
                } _: { store in
                    let before = store.statistics.opened
                    for _ in 1...3 { _ = try await store.layout(of: "u1") }
                    count = store.statistics.opened - before
                }
                return count
            }
            let (old, young) = (try await opened(upToAge: .zero), try await opened(upToAge: .seconds(1_800)))
            #expect(old >= 3 && young <= 1, "\(old) and \(young)")
        }

        /// The commit is there, and a warning says that it may not be what was asked for: nobody is told that it is done,
        /// and nobody makes it a second time.
        @Test func anUnknownOutcomeIsToldAndCuredByItsRecord() async throws {
            let request = IdempotentRequest(scope: "PUT /x", key: "k", fingerprint: [1], notBefore: 0, now: 1)
            try await database.withStore { store in
                @Sendable func change(_ transaction: any LayoutTransaction) -> Decision<Version> {
                    let change = transaction.change(to: ["a"])
                    return Decision(
                        change: change, value: change.layout.version,
                        answer: RecordedAnswer(status: 200, entityTag: "1", content: [7]))
                }
                try database.run(
                    """
                    CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication'; RETURN NEW; END $$
                    """)
                try database.run("CREATE TRIGGER warn AFTER INSERT ON revisions FOR EACH ROW EXECUTE FUNCTION warn()")
                let error = await #expect(throws: StoreError.self) {
                    try await store.update("u1", request: request, change)
                }
                guard case .unknownOutcome = error else { return #expect(Bool(false), "\(String(describing: error))") }
                #expect(store.statistics.unknown == 1)
                try database.run("DROP TRIGGER warn ON revisions")
                guard case .replayed(let answer) = try await store.update("u1", request: request, change) else {
                    return #expect(Bool(false), "made twice")
                }
                #expect(answer.content == [7])
                #expect(try await store.layout(of: "u1").layout.version == 1)
            }
        }

        /// Nothing is lost of what was acknowledged, nothing is made twice, whatever breaks in between.
        @Test func changesUnderBreakingConnectionsAreMadeOnce() async throws {
            try await database.withStore { store in
                let breaker = try database.connect()
                let acknowledged = await withTaskGroup(returning: Int.self) { group in
                    for number in 0..<40 {
                        group.addTask {
                            let request = IdempotentRequest(
                                scope: "PUT /x", key: "k\(number)", fingerprint: [1], notBefore: 0, now: 1)
                            // As a client does: the same request until it is answered.
                            for _ in 0..<100 {
                                let settled = try? await store.update(UserID("u\(number % 4)")!, request: request) {
                                    transaction in
                                    Decision(
                                        change: transaction.change(to: ["a"]), value: (),
                                        answer: RecordedAnswer(status: 200, entityTag: "", content: []))
                                }
                                if settled != nil { return 1 }
                            }
                            return 0
                        }
                    }
                    for _ in 0..<10 {
                        _ = try? breakConnections(through: breaker)
                        await Task.yield()
                    }
                    return await group.reduce(0, +)
                }
                #expect(acknowledged == 40)
                for user in 0..<4 {
                    let version = try await store.layout(of: UserID("u\(user)")!).layout.version
                    #expect(version == 10)
                }
            }
        }

        /// One change that the database cannot take, among others that share its round.
        @Test func aChangeThatCannotBeStoredHarmsNobodyElse() async throws {
            try await database.withStore { store in
                try database.run("ALTER TABLE revisions ADD CONSTRAINT no_b CHECK (user_id <> 'bad')")
                await withTaskGroup { group in
                    for number in 0..<30 {
                        group.addTask {
                            let user = number == 7 ? "bad" : UserID("u\(number)")!
                            let version = try? await store.put(["a"], of: user).version
                            #expect(version == (number == 7 ? nil : 1))
                        }
                    }
                }
                let bad = try await store.layout(of: "bad").layout
                #expect(bad == .never)
            }
        }

        @Test func aDamagedRowIsNotGivenOutAndCounted() async throws {
            try await database.withStore { store in
                try await store.put(["a"], of: "u1")
                try await store.put(["a"], of: "u2")
                try database.run("UPDATE layouts SET items = 'b' WHERE user_id = 'u1'")
                for _ in 0..<2 {
                    let error = await #expect(throws: StoreError.self) { try await store.layout(of: "u1") }
                    guard case .damaged = error else { return #expect(Bool(false), "\(String(describing: error))") }
                }
                #expect(try await store.layout(of: "u2").layout.version == 1)
                #expect(store.statistics.damaged == 2)
                try database.run("DELETE FROM layouts WHERE user_id = 'u2'")
                let lost = await #expect(throws: StoreError.self) { try await store.put(["c"], of: "u2") }
                guard case .damaged = lost else { return #expect(Bool(false), "\(String(describing: lost))") }
            }
        }

        @Test func aDatabaseThatIsGoneIsSaidToBe() async throws {
            let store = try await database.open { $0.patience = .seconds(2) }
            try database.runOutside("ALTER DATABASE \(database.name) ALLOW_CONNECTIONS false")
            try database.runOutside(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database.name)'")
            let error = await #expect(throws: StoreError.self) { try await store.put(["a"], of: "u1") }
            guard case .unavailable = error else { return #expect(Bool(false), "\(String(describing: error))") }
            await #expect(throws: StoreError.self) { try await store.check() }
            try database.runOutside("ALTER DATABASE \(database.name) ALLOW_CONNECTIONS true")
            while (try? await store.check()) == nil { await Task.yield() }
            #expect(try await store.put(["a"], of: "u1").version == 1)
            await store.close()
        }
    }
#endif
