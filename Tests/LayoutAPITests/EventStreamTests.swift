import HTTP1
import LayoutApplication
import LayoutModel
import Testing

@testable import LayoutAPI

@Suite struct EventStreamTests {
    @Test func aNewStreamBeginsWithTheLayoutAsItIs() async throws {
        let service = try await TestService("a b c")
        try await service.withEvents { reader in
            let event = try #require(await reader.events(1).first)
            #expect(event.name == "layout")
            #expect(event.id == "1")
            #expect(event.data.contains(#""favorites":["a","b","c"]"#))
            #expect(reader.text.hasPrefix("retry: "))
        }
    }

    @Test func everyChangeComesOnceInTheOrderOfTheCommits() async throws {
        let service = try await TestService("a b c d")
        try await service.withEvents { reader in
            _ = await reader.events(1)
            for id in ["b", "c", "d"] {
                let reply = try await service.operations(#"{"op": "move", "id": "\#(id)", "at": {"edge": "first"}}"#)
                #expect(reply.status == 200)
            }
            let events = await reader.events(4)
            #expect(events.map(\.id) == ["1", "2", "3", "4"])
            #expect(events[3].data.contains(#"["d","c","b","a"]"#))
        }
    }

    @Test func whatChangesNothingIsNoEvent() async throws {
        let service = try await TestService("a b c")
        try await service.withEvents { reader in
            _ = await reader.events(1)
            _ = try await service.operations(#"{"op": "move", "id": "a", "at": {"index": 0}}"#)
            _ = try await service.operations(
                #"{"op": "move", "id": "c", "at": {"index": 0}}"#, query: "?validateOnly=true")
            _ = try await service.operations(#"{"op": "move", "id": "b", "at": {"index": 0}}"#)
            #expect(await reader.events(2).map(\.id) == ["1", "2"])
        }
    }

    @Test func lastEventIDReplaysExactlyWhatWasMissed() async throws {
        let service = try await TestService("a b c")
        for list in ["b a c", "c b a", "a c b"] { try await service.store(list) }
        try await service.withEvents("/v1/users/u1/layout/events", ["Last-Event-ID": "2"]) { reader in
            let events = await reader.events(2)
            #expect(events.map(\.id) == ["3", "4"])
            #expect(events.map(\.name) == ["layout", "layout"])
            try await service.store("b c a")
            #expect(await reader.events(3).map(\.id) == ["3", "4", "5"])
        }
    }

    @Test func whoHasTheNewestIsSentNothingAgain() async throws {
        let service = try await TestService("a b c")
        try await service.withEvents("/v1/users/u1/layout/events", ["Last-Event-ID": "1"]) { reader in
            // The stream watches already once it has written its first line.
            while reader.text.isEmpty { await Task.yield() }
            try await service.store("b a c")
            #expect(await reader.events(1).map(\.id) == ["2"])
        }
    }

    @Test(arguments: ["1", "99"])
    func whatTheHistoryCannotTellIsAResync(last: String) async throws {
        let service = try await TestService("a b c")
        for number in 0..<60 { try await service.store(number % 2 == 0 ? "b a c" : "a b c") }
        try await service.withEvents("/v1/users/u1/layout/events", ["Last-Event-ID": last]) { reader in
            let event = try #require(await reader.events(1).first)
            #expect(event.name == "resync")
            #expect(event.id == "61")
        }
    }

    @Test func aClientFindsItsOwnChangeByItsName() async throws {
        let service = try await TestService("a b c")
        try await service.withEvents { reader in
            _ = await reader.events(1)
            _ = try await service.operations(
                #"{"op": "remove", "id": "b"}"#, ["Pegboard-Client": "ios/10.3.1 (kitchen)"])
            #expect(await reader.events(2)[1].data.contains(#""origin":"ios/10.3.1 (kitchen)""#))
        }
    }

    @Test func aCatalogThatChangesTheListIsAnEventOfTheSameVersion() async throws {
        let service = try await TestService("a b c")
        try await service.withEvents { reader in
            _ = await reader.events(1)
            try await service.publish(catalogText(["b": #""status": "retired""#]))
            let events = await reader.events(2)
            #expect(events.map(\.id) == ["1", "1"])
            #expect(events[1].data.contains(#""favorites":["a","c"]"#))
        }
    }

    @Test func erasingTheUserIsAResync() async throws {
        let service = try await TestService("a b c")
        try await service.withEvents { reader in
            _ = await reader.events(1)
            let erased = try await service.send(.delete, "/v1/users/u1")
            #expect(erased.status == 204)
            let event = await reader.events(2)[1]
            #expect(event.name == "resync")
            #expect(event.id == "0")
        }
    }

    @Test func aHeartbeatIsACommentAndTheEndSaysWhenToComeBack() async throws {
        let service = try await TestService("a b c")
        try await service.withEvents { reader in
            _ = await reader.events(1)
            service.feed.beat()
            while !reader.text.hasSuffix("\n\n:\n\n") { await Task.yield() }
            service.feed.close()
            while !reader.text.contains(":\n\nretry: ") { await Task.yield() }
            #expect(service.feed.count == 0)
        }
    }

    @Test func anEventIDThatIsNoVersionIsRefused() async throws {
        let service = try await TestService("a b c")
        let reply = try await service.get("/v1/users/u1/layout/events", ["Last-Event-ID": "abc"])
        #expect(reply.status == 400)
        #expect(reply.code == "malformed_event_id")
    }

    @Test func whoLeavesIsForgotten() async throws {
        let service = try await TestService("a b c")
        try await service.withEvents { reader in
            _ = await reader.events(1)
            #expect(service.feed.count == 1)
        }
        #expect(service.feed.count == 0)
    }
}

@Suite struct LongPollingTests {
    @Test func itAnswersWhenTheTagChanges() async throws {
        let service = try await TestService("a b c")
        async let reply = service.get("/v1/users/u1/layout", ["If-None-Match": #""1""#, "Prefer": "wait=30"])
        while service.feed.count == 0 { await Task.yield() }
        try await service.store("b a c")
        let answer = try await reply
        #expect(answer.status == 200)
        #expect(answer.tag == #""2""#)
        #expect(answer.field("Preference-Applied") == "wait=30")
        #expect(service.feed.count == 0)
    }

    @Test func itAnswersAtOnceWhereTheTagIsAnother() async throws {
        let service = try await TestService("a b c")
        let reply = try await service.get("/v1/users/u1/layout", ["If-None-Match": #""7""#, "Prefer": "wait=30"])
        #expect(reply.status == 200)
    }

    @Test func itEndsWith304WhenTheServerDrains() async throws {
        let service = try await TestService("a b c")
        async let reply = service.get("/v1/users/u1/layout", ["If-None-Match": #""1""#, "Prefer": "wait=30"])
        while service.feed.count == 0 { await Task.yield() }
        service.feed.close()
        #expect(try await reply.status == 304)
    }

    @Test(arguments: ["wait", "wait=", "wait=x", "wait=-1", "wait=0", "respond-async"])
    func aPreferenceThatIsNoneIsIgnored(preference: String) async throws {
        let service = try await TestService("a b c")
        let reply = try await service.get("/v1/users/u1/layout", ["If-None-Match": #""1""#, "Prefer": preference])
        #expect(reply.status == 304)
        #expect(reply.field("Preference-Applied") == nil)
    }
}
