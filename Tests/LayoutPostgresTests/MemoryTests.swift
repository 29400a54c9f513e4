#if PostgreSQL
    import LayoutApplication
    import LayoutModel
    import LayoutPostgres
    import LayoutRecords
    import LayoutTesting
    import Testing

    /// What is remembered of layouts, by itself.
    @Suite struct RowMemoryTests {
        private let memory = RowMemory(bytes: 64 << 10)

        private func row(_ version: Version) -> LayoutRow {
            LayoutRow(version: version, items: "a", locked: false, updatedAt: 1, checksum: version)
        }

        @Test func whatIsTakenIsGone() {
            memory.remember([("u1", row(1))])
            #expect(memory.take(["u0", "u1", "u1"]).map { $0?.version } == [nil, 1, nil])
            let counts = memory.counts
            #expect(counts.rows == 0 && counts.bytes == 0)
            #expect(counts.hits == 1 && counts.misses == 2)
        }

        @Test func anOlderRowDoesNotTakeTheNewersPlace() {
            for version in [2, 1, 3, 2] as [Version] { memory.remember([("u1", row(version))]) }
            #expect(memory.take(["u1"])[0]?.version == 3)
        }

        @Test func bytesAreBoundedAndWhatIsUsedStays() {
            for number in 0..<10_000 {
                memory.remember([(UserID("u\(number)")!, row(1)), ("used", row(Version(number + 1)))])
                #expect(memory.counts.bytes <= 64 << 10)
            }
            #expect(memory.counts.rows > 100)
            #expect(memory.take(["used", "u0", "u9999"]).map { $0?.version } == [10_000, nil, 1])
        }

        @Test func withoutBytesNothingIsRemembered() {
            let memory = RowMemory(bytes: 0)
            memory.remember([("u1", row(1))])
            #expect(memory.take(["u1"])[0] == nil)
        }
    }

    /// Changes that are decided on what is remembered, while the database has come to be otherwise.
    @Suite(.enabled(if: PostgresDatabase.isThere)) struct RememberedChangeTests {
        private let database: PostgresDatabase

        init() throws { database = try PostgresDatabase() }

        /// Runs `body` on two servers: the first remembers u1 at version 1, with the list `a`; what the second knows is as old.
        private func withStores(_ body: (PostgresLayoutStore, PostgresLayoutStore) async throws -> Void) async throws {
            try await database.withStore { one in
                try await database.withStore { other in
                    try await one.put(["a"], of: "u1")
                    _ = try await other.layout(of: "u1")
                    try await body(one, other)
                }
            }
        }

        @Test func whoWasReadOrWrittenIsNotReadAgain() async throws {
            try await withStores { one, other in
                for id in ["b", "c", "d"] as [FunctionID] { try await one.append(id, to: "u1") }
                // Of one's first change there was nothing to be remembered.
                #expect(one.remembered.hits == 3 && one.remembered.misses == 1)
                _ = try await other.erase("u1")
                try await other.put(["a"], of: "u1")
                _ = try await one.layout(of: "u1")
                try await one.append("b", to: "u1")
                #expect(one.remembered.hits == 4 && one.remembered.misses == 1)
            }
        }

        @Test func whatBothRememberIsComparedBeforeItIsWritten() async throws {
            try await withStores { one, other in
                try await one.append("b", to: "u1")
                try await other.append("c", to: "u1")
                try await one.append("d", to: "u1")
                let layout = try await one.layout(of: "u1").layout
                #expect(layout.favorites == ["a", "b", "c", "d"])
                #expect(layout.version == 4)
                #expect(one.remembered.hits > 0 && other.remembered.hits > 0)
            }
        }

        /// What writes nothing compares nothing.
        @Test func refusalsAndAnswersWithoutAChangeAreGivenOnWhatIsThere() async throws {
            struct Refusal: Error, Equatable { let version: Version }
            try await withStores { one, other in
                try await one.put(["b"], of: "u1")
                await #expect(throws: Refusal(version: 2)) {
                    _ = try await other.update("u1", request: nil) { transaction -> Decision<Void> in
                        throw Refusal(version: transaction.current.version)
                    }
                }
                try await one.put(["c"], of: "u1")
                let settled = try await other.update("u1", request: nil) { transaction in
                    Decision(change: nil, value: transaction.current.version)
                }
                guard case .decided(3) = settled else { return #expect(Bool(false), "\(settled)") }
            }
        }

        @Test func aRequestAnsweredElsewhereIsReplayed() async throws {
            let request = IdempotentRequest(scope: "PUT /x", key: "k", fingerprint: [1], notBefore: 0, now: 1)
            try await withStores { one, other in
                for store in [one, other, one] {
                    let settled = try await store.update("u1", request: request) { transaction in
                        Decision(
                            change: transaction.change(to: ["b"]), value: store === one,
                            answer: RecordedAnswer(status: 200, entityTag: "", content: [7]))
                    }
                    if case .replayed(let answer) = settled { #expect(answer.content == [7]) }
                }
                #expect(try await one.layout(of: "u1").layout.version == 2)
                #expect(other.remembered.hits == 1)
            }
        }

        @Test func whoWasErasedElsewhereBeginsAnew() async throws {
            try await withStores { one, other in
                _ = try await other.erase("u1")
                try await one.append("b", to: "u1")
                let layout = try await other.layout(of: "u1").layout
                #expect(layout.favorites == ["b"])
                #expect(layout.version == 2)
            }
        }

        /// As an operator does who has restored a database; see operations.md.
        @Test func aFloorThatWasRaisedIsKeptTo() async throws {
            try await withStores { one, _ in
                try database.run("UPDATE identity SET version_floor = 1000")
                let version = try await one.put(["b"], of: "u1").version
                #expect(version == 1_001)
            }
        }

        /// A failover to a standby that had not heard of the last change: its version is used once more, for another list.
        @Test func aVersionWithAnotherListIsNotTakenForTheOneRemembered() async throws {
            try await withStores { one, other in
                try database.run("CREATE TABLE earlier AS SELECT * FROM layouts")
                try await one.append("lost", to: "u1")
                try database.run("DELETE FROM revisions WHERE version = 2")
                try database.run("DELETE FROM layouts")
                try database.run("INSERT INTO layouts SELECT * FROM earlier")
                try await other.append("b", to: "u1")
                try await one.append("c", to: "u1")
                let layout = try await one.layout(of: "u1").layout
                #expect(layout.favorites == ["a", "b", "c"])
                #expect(layout.version == 3)
            }
        }

        /// The commit is there, and a warning says that it may not be what was asked for.
        @Test func anUnknownOutcomeIsForgotten() async throws {
            try await withStores { one, _ in
                try database.run(
                    """
                    CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication'; RETURN NEW; END $$
                    """)
                try database.run("CREATE TRIGGER warn AFTER INSERT ON revisions FOR EACH ROW EXECUTE FUNCTION warn()")
                let error = await #expect(throws: StoreError.self) { try await one.append("b", to: "u1") }
                guard case .unknownOutcome = error else { return #expect(Bool(false), "\(String(describing: error))") }
                try database.run("DROP TRIGGER warn ON revisions")
                #expect(one.remembered.rows == 0)
                try await one.append("c", to: "u1")
                #expect(try await one.layout(of: "u1").layout.favorites == ["a", "b", "c"])
            }
        }
    }
#endif
