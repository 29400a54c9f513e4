#if PostgreSQL
    import LayoutApplication
    import LayoutModel
    import LayoutPostgres
    import LayoutTesting
    import Locking
    import Testing

    /// Two servers on one database.
    @Suite(.enabled(if: PostgresDatabase.isThere)) struct SharedDatabaseTests {
        private let database: PostgresDatabase

        init() throws { database = try PostgresDatabase() }

        private func withStores(_ body: (PostgresLayoutStore, PostgresLayoutStore) async throws -> Void) async throws {
            try await database.withStore { one in try await database.withStore { try await body(one, $0) } }
        }

        @Test func whatOneWritesTheOtherReads() async throws {
            try await withStores { one, other in
                for version in 1...5 as ClosedRange<Version> {
                    try await (version.isMultiple(of: 2) ? one : other).put(["a"], of: "u1")
                    #expect(try await one.layout(of: "u1").layout.version == version)
                    #expect(try await other.layout(of: "u1").layout.version == version)
                }
            }
        }

        @Test func parallelChangesToOneUserAreAllThere() async throws {
            let ids = (0..<60).map { FunctionID("f\($0)")! }
            try await withStores { one, other in
                try await withThrowingTaskGroup { group in
                    for (number, id) in ids.enumerated() {
                        group.addTask { try await (number.isMultiple(of: 2) ? one : other).append(id, to: "u1") }
                    }
                    try await group.waitForAll()
                }
                let layout = try await one.layout(of: "u1").layout
                #expect(Set(layout.favorites ?? []) == Set(ids))
                #expect(layout.version == Version(ids.count))
                #expect(try await other.revisions(of: "u1", below: nil, limit: 100).count == 50)
            }
        }

        /// A client that got no answer repeats its request at another server, while the first is still at it.
        @Test func aRequestSentToBothIsMadeOnce() async throws {
            try await withStores { one, other in
                for round in 1...20 {
                    let request = IdempotentRequest(
                        scope: "PUT /x", key: "k\(round)", fingerprint: [1], notBefore: 0, now: 1)
                    let outcomes = try await withThrowingTaskGroup(returning: [Bool].self) { group in
                        for store in [one, other, one, other] {
                            group.addTask {
                                let settled = try await store.update("u1", request: request) { transaction in
                                    Decision(
                                        change: transaction.change(to: ["a"]), value: true,
                                        answer: RecordedAnswer(status: 200, entityTag: "", content: []))
                                }
                                if case .decided = settled { return true }
                                return false
                            }
                        }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                    #expect(outcomes.filter { $0 }.count == 1)
                    #expect(try await one.layout(of: "u1").layout.version == Version(round))
                }
            }
        }

        /// The same, where the first answer was "nothing to change".
        @Test func aRequestIsAnsweredOneWay() async throws {
            try await withStores { one, other in
                for round in 1...20 {
                    let request = IdempotentRequest(
                        scope: "PUT /x", key: "k\(round)", fingerprint: [1], notBefore: 0, now: 1)
                    let answers = try await withThrowingTaskGroup(returning: [[UInt8]].self) { group in
                        for (number, store) in [one, other].enumerated() {
                            group.addTask {
                                let answer = RecordedAnswer(status: 200, entityTag: "", content: [UInt8(number)])
                                let settled = try await store.update("u1", request: request) { transaction in
                                    Decision(
                                        change: number == 0 ? transaction.change(to: ["a"]) : nil, value: answer,
                                        answer: answer)
                                }
                                switch settled {
                                case .decided(let answer), .replayed(let answer): return answer.content
                                }
                            }
                        }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                    #expect(Set(answers).count == 1, "in round \(round)")
                }
            }
        }

        /// A statement sees what was there when it began. This one then waits for a row of somebody else's, while the other
        /// server makes the user's first change and erases it again.
        @Test func aFirstChangeCountsOnFromAnErasureThatCameMeanwhile() async throws {
            try await database.withStore { other in
                try await other.put(["a"], of: "busy")
                try await other.put(["a"], of: "held")
                // With one connection whatever comes during a round goes into the next together.
                try await database.withStore({ $0.connections = 1 }) { one in
                    let (busy, held) = (try lock("busy"), try lock("held"))
                    async let first = one.put(["b"], of: "busy")
                    while try waitingStatements() == 0 { await Task.yield() }
                    async let second = one.put(["b"], of: "held")
                    async let third = one.put(["b"], of: "new")
                    while one.statistics.waiting < 3 { await Task.yield() }
                    try busy.write("ROLLBACK", by: .now + .seconds(30))
                    _ = try await first
                    while try waitingStatements() == 0 { await Task.yield() }
                    try await other.put(["a"], of: "new")
                    _ = try await other.erase("new")
                    try held.write("ROLLBACK", by: .now + .seconds(30))
                    _ = try await second
                    let version = try await third.version
                    #expect(version == 2)
                }
            }
        }

        /// Beside others a round begins when half as many changes wait. Where those hang, no more may ever come.
        @Test func aLoneChangeDoesNotWaitForALargeRoundThatHangs() async throws {
            try await database.withStore { other in
                for user in ["held1", "held2", "held3"] as [UserID] { try await other.put(["a"], of: user) }
                // Two rounds at a time.
                try await database.withStore({ $0.connections = 4 }) { one in
                    let locks = try ["held1", "held2", "held3"].map(lock)
                    async let first = one.put(["b"], of: "held1")
                    while try waitingStatements() < 1 { await Task.yield() }
                    async let second = one.put(["b"], of: "held2")
                    while try waitingStatements() < 2 { await Task.yield() }
                    // These go into the next round together.
                    async let third = one.put(["b"], of: "held3")
                    async let fourth = one.put(["b"], of: "u1")
                    async let fifth = one.put(["b"], of: "u2")
                    while one.statistics.waiting < 5 { await Task.yield() }
                    try locks[0].write("ROLLBACK", by: .now + .seconds(30))
                    _ = try await first
                    while try waitingStatements() < 2 { await Task.yield() }
                    try locks[1].write("ROLLBACK", by: .now + .seconds(30))
                    _ = try await second
                    let lone = try await one.put(["b"], of: "lone").version
                    #expect(lone == 1)
                    try locks[2].write("ROLLBACK", by: .now + .seconds(30))
                    _ = try await (third, fourth, fifth)
                }
            }
        }

        /// A transaction that has the user's row, until it is taken back.
        private func lock(_ user: String) throws -> Connection {
            let connection = try database.connect()
            try connection.write("BEGIN", by: .now + .seconds(30))
            try connection.write(
                "UPDATE layouts SET version = version WHERE user_id = $1", [.text(user)], by: .now + .seconds(30))
            return connection
        }

        private func waitingStatements() throws -> Int64 {
            let rows = try database.run(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'WITH change%'
                """)
            return rows.first?.integer(0) ?? 0
        }

        @Test func erasingBesideChangesLeavesNothingBehind() async throws {
            try await withStores { one, other in
                try await withThrowingTaskGroup { group in
                    for number in 0..<60 {
                        group.addTask {
                            let store = number.isMultiple(of: 2) ? one : other
                            if number % 6 == 5 {
                                _ = try await store.erase("u1")
                            } else {
                                try await store.put(["a"], of: "u1")
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                _ = try await one.erase("u1")
                #expect(try await other.layout(of: "u1").layout == .never)
                #expect(try await other.revisions(of: "u1", below: nil, limit: 100).isEmpty)
                let next = try await other.put(["b"], of: "u1").version
                #expect(next == 51, "fifty changes were made, and no version is used twice")
            }
        }

        @Test func parallelPublishersFollowEachOther() async throws {
            try await withStores { one, other in
                try await withThrowingTaskGroup { group in
                    for number in 0..<20 {
                        group.addTask {
                            _ = try await (number.isMultiple(of: 2) ? one : other).publish {
                                catalog(($0?.summary.revision ?? 0) + 1)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try await one.currentCatalog()?.summary.revision == 20)
            }
        }

        /// Nothing is decided, or shown, under a catalog that was no longer in force when the layout was read.
        @Test func aCatalogPublishedElsewhereIsKnownBeforeTheNextDecision() async throws {
            try await withStores { one, other in
                let known = Known()
                other.observeCatalogs { known.set($0.summary.revision) }
                for revision in 1...10 {
                    _ = try await one.publish { _ in catalog(revision) }
                    if revision.isMultiple(of: 2) {
                        // What is decided on an older one comes to nothing.
                        let settled = try await other.update("u1", request: nil) { transaction in
                            Decision(change: transaction.change(to: ["a"]), value: known.revision)
                        }
                        guard case .decided(revision) = settled else {
                            return #expect(Bool(false), "catalog \(revision): \(settled)")
                        }
                    } else {
                        _ = try await other.layout(of: "u1")
                        #expect(known.revision == revision)
                    }
                }
            }
        }

        @Test func aCatalogThatCannotBeReadStopsChanges() async throws {
            try await withStores { one, other in
                struct Unreadable: Error {}
                other.observeCatalogs { _ in throw Unreadable() }
                _ = try await one.publish { _ in catalog(1) }
                let error = await #expect(throws: StoreError.self) { try await other.put(["a"], of: "u1") }
                guard case .unavailable = error else { return #expect(Bool(false), "\(String(describing: error))") }
            }
        }

        /// Without LISTEN, and without a change here.
        @Test func whoeverWatchesIsToldOfWhatTheOtherDid() async throws {
            try await withStores { one, other in
                let (changes, teller) = AsyncStream.makeStream(of: ChangeFeed.Change.self)
                other.observeChanges(of: { ["u1", "u2"] }) { for change in $0 { teller.yield(change) } }
                var told = changes.makeAsyncIterator()
                /// The first that the test has not seen: users who are watched are told what is in force, to begin with.
                func next(of user: UserID, where isWanted: (StoredLayout) -> Bool) async -> ChangeFeed.Change? {
                    while let change = await told.next() {
                        if change.user == user, isWanted(change.layout) { return change }
                    }
                    return nil
                }
                let written = try await one.put(["a", "b"], of: "u1")
                let first = await next(of: "u1") { $0.version == 1 }
                #expect(first?.layout == written)
                #expect(first?.origin == "test")
                try await one.put(["c"], of: "u2")
                #expect(await next(of: "u2") { $0.version == 1 } != nil)
                _ = try await one.erase("u1")
                #expect(await next(of: "u1") { $0 == .never } != nil)
            }
        }

        private final class Known: Sendable {
            private let state = Mutex(0)
            var revision: Int { state.withLock { $0 } }
            func set(_ revision: Int) { state.withLock { $0 = revision } }
        }
    }

    private func catalog(_ revision: Int) -> CatalogRecord {
        CatalogRecord(
            summary: .init(revision: revision, layoutRevision: 1, publishedAt: 1, publishedBy: "test"),
            document: Array("catalog \(revision)".utf8))
    }
#endif
