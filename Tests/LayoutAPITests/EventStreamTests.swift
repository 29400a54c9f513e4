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

    /// While the peer reads nothing, a catalog and two changes wait: the first of the three must not tell of the last.
    @Test func aCatalogBetweenChangesHidesNoneOfThem() async throws {
        let service = try await TestService("a b c d")
        try await service.withEvents { reader in
            _ = await reader.events(1)
            reader.hold()
            try await service.store("b a c d")
            while !reader.isHeldUp { await Task.yield() }
            try await service.publish(catalogText(["h": #""status": "retired""#]))
            for id in ["c", "d"] {
                let operation = #"{"op": "move", "id": "\#(id)", "at": {"edge": "first"}}"#
                #expect(try await service.operations(operation, ["Pegboard-Client": "phone \(id)"]).status == 200)
            }
            reader.release()
            let events = await reader.events(4)
            #expect(events.map(\.id) == ["1", "2", "3", "4"])
            #expect(events[2].data.contains(#""origin":"phone c""#))
            #expect(events[3].data.contains(#""origin":"phone d""#))
        }
    }

    @Test func anErasureBehindACatalogIsToldOnce() async throws {
        let service = try await TestService("a b c")
        try await service.withEvents { reader in
            _ = await reader.events(1)
            reader.hold()
            try await service.store("b a c")
            while !reader.isHeldUp { await Task.yield() }
            try await service.publish(catalogText(["h": #""status": "retired""#]))
            #expect(try await service.send(.delete, "/v1/users/u1").status == 204)
            #expect(try await service.put("c", ["If-Match": "*"]).status == 200)
            reader.release()
            let events = await reader.events(3)
            #expect(events.map(\.name) == ["layout", "layout", "resync"])
            #expect(events[2].data.contains(#""favorites":["c"]"#))
        }
    }

    /// What the client saw may have been another list of the same version.
    @Test func aCatalogMissedMeanwhileIsToldOnReconnecting() async throws {
        let service = try await TestService("a b c")
        try await service.publish(catalogText(["b": #""status": "retired""#]))
        try await service.withEvents("/v1/users/u1/layout/events", ["Last-Event-ID": "1"]) { reader in
            let event = try #require(await reader.events(1).first)
            #expect(event.name == "layout")
            #expect(event.id == "1")
            #expect(event.data.contains(#""favorites":["a","c"]"#))
        }
        // And back again: the tag alone would not tell that anything was missed.
        try await service.publish(catalogText())
        try await service.withEvents("/v1/users/u1/layout/events", ["Last-Event-ID": "1"]) { reader in
            let event = try #require(await reader.events(1).first)
            #expect(event.data.contains(#""favorites":["a","b","c"]"#))
        }
    }

    @Test func nothingIsRepeatedUnderTheFirstCatalog() async throws {
        let service = try await TestService("a b c")
        try await service.withEvents("/v1/users/u1/layout/events", ["Last-Event-ID": "1"]) { reader in
            while reader.text.isEmpty { await Task.yield() }
            let stored = try await service.put("c", ["If-Match": "*"])
            #expect(stored.status == 200)
            #expect(await reader.events(1).map(\.id) == ["2"])
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

    @Test(arguments: [
        "abc", "+1", "-0", "-1", "01", "1 2", "1+c2", "1, 2", "1000000000000000000",
    ])
    func anEventIDThatWasNeverGivenIsRefused(id: String) async throws {
        let service = try await TestService("a b c")
        let reply = try await service.get("/v1/users/u1/layout/events", ["Last-Event-ID": id])
        #expect(reply.status == 400)
        #expect(reply.code == "malformed_event_id")
    }

    @Test func twoEventIDsAreRefusedAndAnEmptyOneIsNone() async throws {
        let service = try await TestService("a b c")
        let two = try await service.get("/v1/users/u1/layout/events", ["Last-Event-ID": "1", "Last-Event-ID": "1"])
        #expect(two.code == "malformed_event_id")
        let none = try await service.send(.head, "/v1/users/u1/layout/events", ["Last-Event-ID": ""])
        #expect(none.status == 200)
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

    /// RFC 7240 §2: white space around the sign, quotes and parameters are the client's choice.
    @Test(arguments: [
        ("wait=1", "1"), (#"wait="1""#, "1"), ("wait = 7", "7"), ("WAIT=5; foo=bar", "5"), (#"wait="8" ;a="b;c""#, "8"),
        ("respond-async, wait=9", "9"), ("wait=55, wait=3", "55"), ("wait=56", "55"),
        ("wait=99999999999999999999", "55"), ("wait=007", "7"),
    ])
    func theWaitThatWasTakenIsSaid(preference: String, seconds: String) async throws {
        let service = try await TestService("a b c")
        let reply = try await service.get("/v1/users/u1/layout", ["If-None-Match": #""7""#, "Prefer": preference])
        #expect(reply.field("Preference-Applied") == "wait=\(seconds)")
    }

    @Test(arguments: [
        "wait", "wait=", "wait=x", "wait=-1", "wait=0", "respond-async", "wait=+1", #"wait="1"#, #"wait="""#,
        "wait=1.5",
        "wait=1 2", "waits=1", "wait=x, wait=5", "foo=bar; wait=5",
    ])
    func aPreferenceThatIsNoneIsIgnored(preference: String) async throws {
        let service = try await TestService("a b c")
        let reply = try await service.get("/v1/users/u1/layout", ["If-None-Match": #""1""#, "Prefer": preference])
        #expect(reply.status == 304)
        #expect(reply.field("Preference-Applied") == nil)
    }
}
