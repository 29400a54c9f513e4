import LayoutApplication
import LayoutModel
import LayoutTesting
import Testing

@testable import LayoutAPI

@Suite struct StatisticsTests {
    /// Defaults `a b`, `p` required.
    private static let catalog = catalogText("a b c p", ["p": #""required": true"#], defaults: "a b")

    private func statistics(_ service: TestService) async throws -> JSONValue {
        let reply = try await service.get("/v1/admin/statistics")
        #expect(reply.status == 200, "\(reply.text)")
        return reply.json
    }

    private func function(_ id: String, _ statistics: JSONValue) throws -> JSONValue {
        try #require(statistics["functions"]?.elements?.first { $0["id"]?.text == id })
    }

    @Test func nobodyIsStoredAndEverythingIsZero() async throws {
        let service = try await TestService(catalog: Self.catalog)
        let json = try await statistics(service)
        #expect(json["users"]?.number == 0)
        #expect(json["customizedShare"] == .number("0.0"))
        #expect(json["catalogRevision"]?.number == 1)
        #expect(json["functions"]?.elements?.compactMap { $0["id"]?.text } == ["a", "b", "c", "p"])
        let a = try function("a", json)
        #expect(a["favorites"]?.number == 0)
        #expect(a["meanSlot"] == .null)
        #expect(a["medianSlot"] == .null)
        #expect(a["slots"] == .array([]))
        #expect(a["added"]?.elements?.count == 30)
    }

    @Test func slotsAreThoseOfTheHealedListsAndTheDefaultsCount() async throws {
        let service = try await TestService(catalog: Self.catalog)
        try await service.store("c a gone", for: "u1")
        try await service.store("b", for: "u2", locked: true)
        try await service.store(nil, for: "u3")
        let json = try await statistics(service)
        #expect(json["users"]?.number == 3)
        #expect(json["customized"]?.number == 2)
        #expect(json["customizedShare"] == .number("0.6667"))
        #expect(json["locked"]?.number == 1)
        // u1: c a p, u2: b p, u3: a b p.
        let a = try function("a", json)
        #expect(a["slots"] == .array([.integer(1), .integer(1)]))
        #expect(a["favorites"]?.number == 2)
        #expect(a["meanSlot"] == .number("0.5"))
        #expect(a["medianSlot"]?.number == 0, "the lower one of two")
        #expect(try function("p", json)["slots"] == .array([.integer(0), .integer(1), .integer(2)]))
        #expect(try function("p", json)["medianSlot"]?.number == 2)
        #expect(try function("p", json)["share"] == .number("1.0"))
    }

    @Test func eachChangeCountsOnItsDayAndOldOnesNotAtAll() async throws {
        let service = try await TestService(catalog: Self.catalog)
        try await service.store("a", for: "u1")
        try await service.store("a b c", for: "u2")
        service.advance(milliseconds: 86_400_000)
        try await service.store("a c", for: "u1")
        let json = try await statistics(service)
        let counts = { (id: String, name: String) in
            try self.function(id, json)[name]?.elements?.suffix(2).compactMap { $0["count"]?.number }
        }
        #expect(try counts("b", "removed") == [1, 0], "u1 left the defaults a b")
        #expect(try counts("c", "added") == [1, 1])
        #expect(try counts("a", "added") == [0, 0])
        let days = try #require(try function("a", json)["added"]?.elements?.compactMap { $0["day"]?.text })
        #expect(days.count == 30 && Set(days).count == 30 && days == days.sorted())
        #expect(json["computedAt"]?.text?.hasPrefix(try #require(days.last)) == true)

        service.advance(milliseconds: 30 * 86_400_000)
        let later = try await statistics(service)
        let sums = ["a", "b", "c", "p"].flatMap { id in
            ["added", "removed"].flatMap { name in
                (try? function(id, later)[name]?.elements?.compactMap { $0["count"]?.number }) ?? [-1]
            }
        }
        #expect(sums.allSatisfy { $0 == 0 })
        #expect(later["users"]?.number == 2)
    }

    @Test func theyAreKeptForAMinuteAndHaveATag() async throws {
        let service = try await TestService(catalog: Self.catalog)
        let first = try await service.get("/v1/admin/statistics")
        try await service.store("a", for: "u1")
        service.advance(milliseconds: 59_999)
        let tag = try #require(first.tag)
        #expect(try await service.get("/v1/admin/statistics", ["If-None-Match": tag]).status == 304)
        service.advance(milliseconds: 1)
        let second = try await service.get("/v1/admin/statistics", ["If-None-Match": tag])
        #expect(second.status == 200)
        #expect(second.json["users"]?.number == 1)
    }

    @Test func aNewCatalogIsNotAnsweredWithTheOldNumbers() async throws {
        let service = try await TestService(catalog: Self.catalog)
        _ = try await statistics(service)
        try await service.publish(catalogText("a b c d", defaults: "a"))
        #expect(try await statistics(service)["catalogRevision"]?.number == 2)
    }

    @Test func manyWhoAskAtOnceCauseOneCount() async throws {
        let store = BrokenStore()
        let service = try await TestService(catalog: Self.catalog, store: store)
        for number in 0..<1_200 { try await service.store("a", for: "user-\(number)") }
        let before = store.pages
        let users = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<20 { group.addTask { try await statistics(service)["users"]?.number } }
            return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
        }
        #expect(users == [1_200])
        #expect(store.pages - before == 4, "500, 500, 200 and the empty one")
    }

    /// Against the plain way: every list in memory, every median by sorting.
    @Test func theyAreThoseOfASlowCount() async throws {
        var random = SplitMix64(seed: 8)
        let service = try await TestService(catalog: catalogText("a b c d e f", defaults: "c d"))
        var lists: [[String]] = []
        for number in 0..<700 {
            let list = Array("abcdef".map(String.init).shuffled(using: &random).prefix(Int(random.next() % 7)))
            lists.append(list)
            try await service.store(list.joined(separator: " "), for: "user-\(number)")
        }
        let json = try await statistics(service)
        for id in "abcdef".map(String.init) {
            let slots = lists.compactMap { $0.firstIndex(of: id) }.sorted()
            let found = try function(id, json)
            #expect(found["favorites"]?.number == slots.count)
            #expect(found["medianSlot"]?.number == slots[(slots.count - 1) / 2])
            let counts = (0...(slots.last ?? 0)).map { slot in slots.count { $0 == slot } }
            #expect(found["slots"] == .array(counts.map { .integer($0) }))
        }
    }

    @Test func aStorageThatDoesNotAnswerIsSaidAndAskedAgain() async throws {
        let store = BrokenStore()
        let service = try await TestService(catalog: Self.catalog, store: store)
        store.breakDown(with: StoreError.unavailable(reason: "disk"))
        let reply = try await service.get("/v1/admin/statistics")
        #expect(reply.status == 503)
        #expect(reply.code == "storage_unavailable")
        store.mend()
        #expect(try await service.get("/v1/admin/statistics").status == 200)
    }
}
