import LayoutApplication
import LayoutModel
import LayoutTesting
import Testing

extension StoreConformance {
    @Suite struct LayoutPages {
        @Test(arguments: Backend.allCases, [1, 2, 7, 100])
        func everybodyComesOnceInTheOrderOfBytes(backend: Backend, limit: Int) async throws {
            // "é" composed and decomposed are two users; "Z" < "a" < "é" < "财" by bytes.
            let users: [UserID] = ["a", "Z", "ab", "a-", "caf\u{E9}", "cafe\u{301}", "财富", "😀", "u1", "u10", "u2"]
            try await backend.withStore { store in
                for user in users { try await store.put(["a"], of: user) }
                let found = try await store.allLayouts(limit: limit)
                let wanted = users.map { Array($0.text.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
                #expect(found.map { Array($0.user.text.utf8) } == wanted)
                #expect(found.allSatisfy { $0.layout.favorites == ["a"] && $0.layout.version == 1 })
            }
        }

        @Test(arguments: Backend.allCases) func whoWasNeverStoredIsNotThere(backend: Backend) async throws {
            try await backend.withStore { store in
                let nobody = try await store.allLayouts(limit: 3)
                #expect(nobody.isEmpty)
                _ = try await store.layout(of: "read")
                _ = try await store.update("decided", request: nil) { _ in Decision(change: nil, value: ()) }
                try await store.put(nil, of: "reset")
                #expect(try await store.allLayouts(limit: 3).map(\.user) == ["reset"])
            }
        }

        @Test(arguments: Backend.allCases) func aLimitBoundsThePage(backend: Backend) async throws {
            try await backend.withStore { store in
                for number in 1...5 { try await store.put(["a"], of: UserID("u\(number)")!) }
                #expect(try await store.layouts(after: nil, limit: 2).map(\.user) == ["u1", "u2"])
                #expect(try await store.layouts(after: "u2", limit: 2).map(\.user) == ["u3", "u4"])
                #expect(try await store.layouts(after: "u31", limit: 9).map(\.user) == ["u4", "u5"])
                #expect(try await store.layouts(after: "u5", limit: 2).isEmpty)
                #expect(try await store.layouts(after: nil, limit: 0).isEmpty)
                #expect(try await store.layouts(after: nil, limit: -1).isEmpty)
            }
        }

        /// Whoever is there throughout comes once, whatever happens to the others meanwhile.
        @Test(arguments: Backend.allCases) func changesBetweenPagesSkipAndDoubleNobody(backend: Backend) async throws {
            try await backend.withStore { store in
                for number in 100..<160 { try await store.put(["a"], of: UserID("u\(number)")!) }
                var found: [UserID] = []
                var page = 0
                while let last = try await store.layouts(after: found.last, limit: 7).nonEmpty {
                    found += last.map(\.user)
                    // One new before and one new behind, one gone, one changed.
                    try await store.put(["n"], of: UserID("a\(page)")!)
                    try await store.put(["n"], of: UserID("z\(page)")!)
                    try await store.put(["b"], of: UserID("u\(110 + page)")!)
                    _ = try await store.erase(UserID("u\(150 + page)")!)
                    page += 1
                    if page == 9 { break }
                }
                #expect(Set(found).count == found.count)
                #expect(Set(found).isSuperset(of: (100..<150).map { UserID("u\($0)")! }))
            }
        }
    }
}

extension Array {
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}

extension LayoutStore {
    fileprivate func allLayouts(limit: Int) async throws -> [(user: UserID, layout: StoredLayout)] {
        var all: [(user: UserID, layout: StoredLayout)] = []
        while true {
            let page = try await layouts(after: all.last?.user, limit: limit)
            if page.isEmpty { return all }
            #expect(page.count <= limit)
            all += page
        }
    }
}
