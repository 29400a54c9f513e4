import LayoutApplication
import LayoutModel
import LayoutTesting
import Testing

extension StoreConformance {
    @Suite struct Concurrency {
        /// Case 4: parallel read-check-writes lost changes or were refused as busy.
        @Test(arguments: Backend.allCases) func parallelChangesToOneUserAreAllThere(backend: Backend) async throws {
            let ids = (0..<200).map { FunctionID("f\($0)")! }
            try await backend.withStore { store in
                try await withThrowingTaskGroup { group in
                    for id in ids { group.addTask { try await store.append(id, to: "u1") } }
                    try await group.waitForAll()
                }
                let layout = try await store.layout(of: "u1").layout
                #expect(Set(layout.favorites ?? []) == Set(ids))
                #expect(layout.favorites?.count == ids.count)
                #expect(layout.version == Version(ids.count))
            }
        }

        /// Case 6: the first requests of a new user raced.
        @Test(arguments: Backend.allCases) func firstRequestsOfANewUserMakeOneLayout(backend: Backend) async throws {
            try await backend.withStore { store in
                try await withThrowingTaskGroup { group in
                    for number in 0..<20 {
                        group.addTask {
                            if number.isMultiple(of: 2) {
                                try await store.append("h", to: "new")
                            } else {
                                let seen = try await store.layout(of: "new").layout
                                #expect(seen == .never || seen.favorites == ["h"])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let layout = try await store.layout(of: "new").layout
                #expect(layout.favorites == ["h"])
                #expect(layout.version == 1)
            }
        }

        @Test(arguments: Backend.allCases) func changesToOneUserAreDecidedOneAfterAnother(backend: Backend) async throws
        {
            try await backend.withStore { store in
                let seen = try await withThrowingTaskGroup(returning: [Version].self) { group in
                    for _ in 0..<100 {
                        group.addTask {
                            let settled = try await store.update("u1", request: nil) {
                                Decision(change: $0.change(to: ["a"]), value: $0.current.version)
                            }
                            guard case .decided(let version) = settled else { throw Refused() }
                            return version
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(seen.sorted() == Array(0..<100))
            }
        }

        @Test(arguments: Backend.allCases) func aReadBesideAUsersFirstChangeFindsOneOrTheOther(
            backend: Backend
        ) async throws {
            try await backend.withStore { store in
                for number in 0..<200 {
                    let user = UserID("u\(number)")!
                    async let put = store.put(["a"], of: user)
                    try await withThrowingTaskGroup { group in
                        for _ in 0..<4 {
                            group.addTask {
                                let entry = try await store.layout(of: user)
                                #expect(entry.layout.favorites == (entry.layout.version == 0 ? nil : ["a"]))
                            }
                        }
                        try await group.waitForAll()
                    }
                    _ = try await put
                }
            }
        }

        /// One who was answered, or has read a version, never sees an older one.
        @Test(arguments: Backend.allCases) func versionsNeverGoBackForAReader(backend: Backend) async throws {
            try await backend.withStore { store in
                try await withThrowingTaskGroup { group in
                    group.addTask { for _ in 0..<200 { try await store.put(["a"], of: "u1") } }
                    for _ in 0..<4 {
                        group.addTask {
                            var newest: Version = 0
                            while newest < 200 {
                                let version =
                                    if let cached = store.layoutAtHand(of: "u1") { cached.layout.version } else {
                                        try await store.layout(of: "u1").layout.version
                                    }
                                #expect(version >= newest)
                                newest = max(newest, version)
                                await Task.yield()
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }

        @Test(arguments: Backend.allCases) func aRefusalAmongManyHarmsNobodyElse(backend: Backend) async throws {
            try await backend.withStore { store in
                await withTaskGroup { group in
                    for number in 0..<60 {
                        group.addTask {
                            let user = UserID("u\(number)")!
                            if number.isMultiple(of: 3) {
                                await #expect(throws: Refused.self) {
                                    try await store.update(user, request: nil) { _ -> Decision<Int> in throw Refused() }
                                }
                            } else {
                                await #expect(throws: Never.self) { try await store.put(["a"], of: user) }
                            }
                        }
                    }
                }
                for number in 0..<60 {
                    let version = try await store.layout(of: UserID("u\(number)")!).layout.version
                    #expect(version == (number.isMultiple(of: 3) ? 0 : 1))
                }
            }
        }

        @Test(arguments: Backend.allCases) func cancellingTheCallerDoesNotWithdrawTheChange(
            backend: Backend
        )
            async throws
        {
            try await backend.withStore { store in
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await store.put(["a"], of: "u1")
                }
                let written = try await task.value
                #expect(written.version == 1)
                #expect(try await store.layout(of: "u1").layout.version == 1)
            }
        }
    }
}
