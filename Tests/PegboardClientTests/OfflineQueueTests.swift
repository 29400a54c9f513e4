import Foundation
import PegboardClient
import Synchronization
import Testing

@Suite struct OfflineQueueTests {
    private let server = StandInServer()

    private struct Sent: Decodable, Equatable {
        var baseVersion: Int64
        var operations: [FavoritesOperation]
    }

    private func sent() throws -> [Sent] {
        try server.writes.map { try JSONDecoder().decode(Sent.self, from: $0.body ?? Data()) }
    }

    @Test func editsShowAtOnceAndGoOutAsOneRequest() async throws {
        let queue = try makeQueue(server)
        try await queue.synchronize()
        try queue.edit([.move("a", to: .index(2))])
        try queue.edit([.remove("b")])
        try queue.edit([.add("e")])
        #expect(queue.favorites == ["c", "a", "d", "e"])
        #expect(queue.pendingCount == 3)
        #expect(server.favorites == ["a", "b", "c", "d"])
        try await queue.synchronize()
        #expect(server.favorites == ["c", "a", "d", "e"])
        #expect(
            try sent() == [Sent(baseVersion: 1, operations: [.move("a", to: .after("c")), .remove("b"), .add("e")])])
        #expect(queue.pendingCount == 0)
    }

    @Test func editsThatAreOneInEffectAreSentAsOne() async throws {
        let queue = try makeQueue(server)
        try await queue.synchronize()
        try queue.edit([.move("a", to: .index(1))])
        try queue.edit([.move("a", to: .index(3))])
        #expect(queue.pendingCount == 1)
        try queue.edit([.move("a", to: .index(0))])
        #expect(queue.pendingCount == 0)
        try queue.edit([.add("e")])
        try queue.edit([.move("e", to: .index(0))])
        #expect(queue.pendingCount == 1)
        try queue.edit([.remove("e")])
        #expect(queue.pendingCount == 0)
        try await queue.synchronize()
        #expect(server.writes.isEmpty)
    }

    @Test func whatIsNotAllowedIsRefusedAsTheServerWould() async throws {
        let queue = try makeQueue(server)
        #expect(throws: Refusal.self) { try queue.edit([.remove("a")]) }
        try await queue.synchronize()
        try queue.edit([.add("e")])
        let refusal = #expect(throws: Refusal.self) { try queue.edit([.add("f")]) }
        #expect(refusal?.code == .favoritesLimit)
        #expect(refusal?.params == ["limit": .number(5), "requested": .number(6)])
        #expect(queue.favorites == ["a", "b", "c", "d", "e"])
    }

    @Test func aLostAnswerIsAskedForWithTheSameRequest() async throws {
        let storage = MemoryStorage()
        var queue = try makeQueue(server, storage)
        try await queue.synchronize()
        try queue.edit([.add("e", at: .first)])
        server.set(losesAnswers: true)
        await #expect(throws: PegboardError.self) { try await queue.synchronize() }
        #expect(server.favorites == ["e", "a", "b", "c", "d"])
        // Edits made while nobody knows, another device, a restart, and an update of the app.
        try queue.edit([.move("e", to: .last)])
        server.change(to: ["e", "b", "c", "d"])
        server.set(losesAnswers: false)
        var settings = PegboardClient.Settings()
        settings.attempts = 1
        queue = try OfflineQueue(
            client: PegboardClient(
                baseURL: URL(string: "http://server")!, user: "u", identity: .init(appVersion: "11", device: "d1"),
                transport: server.transport, settings: settings),
            storage: storage)
        #expect(queue.recovery == .restored)
        #expect(queue.favorites == ["a", "b", "c", "d", "e"])
        try await queue.synchronize()
        let (first, again) = (server.writes[0], server.writes[1])
        #expect(first["Idempotency-Key"] == again["Idempotency-Key"])
        #expect(first.body == again.body)
        #expect(first.url == again.url)
        #expect(server.favorites == ["b", "c", "d", "e"])
        #expect(queue.favorites == server.favorites)
    }

    @Test func everyEditIsOnTheDiskWhenItReturns() async throws {
        let storage = MemoryStorage()
        let queue = try makeQueue(server, storage)
        try await queue.synchronize()
        for (edit, list) in [
            (FavoritesOperation.remove("b"), ["a", "c", "d"]), (.move("d", to: .first), ["d", "a", "c"]),
            (.add("g"), ["d", "a", "c", "g"]),
        ] {
            try queue.edit([edit])
            let copy = try makeQueue(server, MemoryStorage(storage.items))
            #expect(copy.favorites == list)
        }
    }

    @Test func whatCannotBeKeptIsNotDone() async throws {
        let storage = MemoryStorage()
        let queue = try makeQueue(server, storage)
        try await queue.synchronize()
        storage.fill(true)
        #expect(throws: MemoryStorage.Full.self) { try queue.edit([.remove("b")]) }
        #expect(queue.favorites == ["a", "b", "c", "d"])
    }

    @Test func anExpiredBaseIsCarriedOverHere() async throws {
        let queue = try makeQueue(server)
        try await queue.synchronize()
        try queue.edit([.move("d", to: .after("b")), .remove("c")])
        server.change(to: ["g", "d", "b"])
        server.refuse(problem(409, "base_expired", #","current":\#(layoutJSON(2, ["g", "d", "b"]))"#))
        // Straight to the write: nobody has told of version 2.
        queue.receive(.init(userId: "u", version: 1, customized: true, catalogRevision: 1, favorites: []))
        try await queue.synchronize()
        #expect(queue.favorites == ["g", "b", "d"])
        #expect(server.favorites == queue.favorites)
    }

    @Test func ofARefusedRequestTheRestIsSentAndTheRefusalIsTold() async throws {
        let storage = MemoryStorage()
        var queue = try makeQueue(server, storage)
        try await queue.synchronize()
        try queue.edit([.move("a", to: .last), .remove("b"), .add("e")])
        server.refuse(problem(422, "item_not_removable", #","operationIndex":1,"params":{"id":"b"}"#))
        try await queue.synchronize()
        #expect(server.favorites == ["b", "c", "d", "a", "e"])
        #expect(queue.favorites == server.favorites)
        // Over a restart too, until somebody has read it.
        queue = try makeQueue(server, storage)
        #expect(queue.reports.map(\.operation) == [.remove("b")])
        #expect(queue.reports.map(\.isDropped) == [true])
        try queue.forget(reports: queue.reports.map(\.id))
        #expect(try makeQueue(server, storage).reports.isEmpty)
    }

    @Test func aPageOfSomeProxyDropsNothing() async throws {
        let queue = try makeQueue(server)
        try await queue.synchronize()
        try queue.edit([.remove("b")])
        server.refuse(TransportResponse(status: 403, headers: ["Content-Type": "text/html"]))
        await #expect(throws: PegboardError.self) { try await queue.synchronize() }
        #expect(queue.halted?.code == "http_403")
        #expect(queue.pendingCount == 1)
        try await queue.synchronize()
        #expect(server.favorites == ["a", "c", "d"])
    }

    @Test func anotherDeviceRemovedWhatWasMoved() async throws {
        let queue = try makeQueue(server)
        try await queue.synchronize()
        try queue.edit([.move("d", to: .first)])
        try queue.edit([.move("b", to: .after("c"))])
        server.change(to: ["a", "b", "e"])
        try await queue.synchronize()
        #expect(queue.reports.map(\.result) == [.itemAbsent, .substituted(.after("a"))])
        #expect(queue.favorites == ["a", "b", "e"])
        #expect(queue.favorites == server.favorites)
    }

    @Test func aLongOfflineTimeIsSentInRequestsOfAHundred() async throws {
        let queue = try makeQueue(server)
        try await queue.synchronize()
        for _ in 0..<75 { try queue.edit([.move("a", to: .last), .move("b", to: .last)]) }
        try queue.edit([.add("e")])
        try await queue.synchronize()
        let counts = try sent().map(\.operations.count)
        // What is left after a hundred goes round and comes back to where it was; only the last edit does something.
        #expect(counts == [100, 1])
        #expect(queue.favorites == server.favorites)
    }

    @Test func anErasedUserBeginsAnewAndAnOldListDoesNot() async throws {
        let queue = try makeQueue(server)
        try await queue.synchronize()
        let never = LayoutSnapshot(
            userId: "u", version: 0, customized: false, catalogRevision: 1, favorites: ["d", "c", "b", "a"])
        queue.receive(never)
        #expect(queue.favorites == ["a", "b", "c", "d"])
        server.erase(to: never.favorites)
        try await queue.synchronize()
        #expect(queue.favorites == never.favorites)
    }

    /// Erased, or set back to an old copy, between the question and the write: 0 and lower versions are no old news then.
    @Test(arguments: [0, 2]) func aServerThatWasSetBackIsFollowed(version: Int) async throws {
        for _ in 0..<2 { server.change(to: ["a", "b", "c", "d"]) }
        let queue = try makeQueue(server)
        try await queue.synchronize()
        try queue.edit([.remove("b")])
        let server = server
        server.transport.answer { request in
            guard request.method == "POST" else { return try server.answer(request) }
            switch server.writes.count {
            case 1:
                server.setBack(to: ["d", "c", "b", "a"], version: version)
                return problem(
                    409, "base_expired", #","current":\#(layoutJSON(version, ["d", "c", "b", "a"]))"#)
            case 2: return try server.answer(request)
            default: return problem(503, "busy")
            }
        }
        try await queue.synchronize()
        #expect(try sent().map(\.baseVersion) == [3, Int64(version)])
        #expect(server.favorites == ["d", "c", "a"])
        #expect(queue.favorites == server.favorites)
    }

    @Test func severalCallersSendEachEditOnce() async throws {
        let queue = try makeQueue(server)
        try await queue.synchronize()
        for id in ["e", "a", "b"] { try queue.edit([id == "e" ? .add(id) : .remove(id)]) }
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await queue.synchronize() } }
            try await group.waitForAll()
        }
        #expect(server.writes.count == 1)
    }

    @Test func runningSendsWhatIsEdited() async throws {
        let queue = try makeQueue(server)
        let running = Task { await queue.run() }
        defer { running.cancel() }
        var changes = queue.changes().makeAsyncIterator()
        while queue.favorites == nil { await changes.next() }
        try queue.edit([.remove("a")])
        while queue.pendingCount > 0 { await changes.next() }
        #expect(server.favorites == ["b", "c", "d"])
        running.cancel()
        await running.value
    }

    @Test func aTokenThatCannotBeHadIsAskedForAgain() async throws {
        let asked = Atomic(0)
        let client = makeClient(
            server.transport, attempts: 1,
            token: { _ in
                guard asked.add(1, ordering: .relaxed).newValue > 1 else { throw URLError(.notConnectedToInternet) }
                return "token"
            })
        let queue = try OfflineQueue(
            client: client, storage: MemoryStorage(), backoff: Backoff(base: .zero, limit: .zero))
        let running = Task { await queue.run() }
        defer { running.cancel() }
        var changes = queue.changes().makeAsyncIterator()
        while queue.favorites == nil { await changes.next() }
        #expect(server.transport.requests.first?["Authorization"] == "Bearer token")
    }

    /// The user has to sign in again, and meets it where nothing is to be sent.
    @Test func aRefusedStreamHaltsAndIsOpenedAgainByResuming() async throws {
        let isSignedIn = Atomic(true)
        let (server, transport) = (server, server.transport)
        transport.answer { request in
            // From the moment on that the stream is opened again.
            let streams = transport.requests.count { $0.url.path.hasSuffix("/events") }
            if streams > 1 && !isSignedIn.load(ordering: .relaxed) { return problem(401, "invalid_token") }
            return try server.answer(request)
        }
        isSignedIn.store(false, ordering: .relaxed)
        transport.stream([["id: 2\nevent: layout\ndata: \(layoutJSON(2, ["d", "c", "b"]))\n\n"]])
        let queue = try makeQueue(server)
        let running = Task { await queue.run() }
        defer { running.cancel() }
        var changes = queue.changes().makeAsyncIterator()
        while queue.halted == nil { await changes.next() }
        #expect(queue.favorites == ["d", "c", "b"])
        isSignedIn.store(true, ordering: .relaxed)
        transport.stream([["id: 3\nevent: layout\ndata: \(layoutJSON(3, ["g"]))\n\n"]])
        queue.resume()
        while queue.favorites != ["g"] { await changes.next() }
        #expect(queue.halted == nil)
    }

    @Test func aCatalogComesThoughTheListIsUnchanged() async throws {
        let queue = try makeQueue(server)
        try await queue.synchronize()
        server.set(catalog: catalogJSON(revision: 2, functions: "abcdefgh"))
        try await queue.synchronize()
        try queue.edit([.add("h")])
        #expect(queue.favorites == ["a", "b", "c", "d", "h"])
    }
}
