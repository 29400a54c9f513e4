import HTTP1
import LayoutAPI
import Testing

/// Faults that people met in other systems that keep an ordered list, each as the smallest input that would show it in ours.
/// The numbers are those of the collection. What needs a kill, a socket or events is tested where those are.
@Suite struct ReportedCasesTests {
    private let list4 = "a b c d"
    private let list5 = "a b c d e"
    private let list7 = "a b c d e f g"

    private func move(_ id: String, to index: Int) -> String {
        #"{"op":"move","id":"\#(id)","at":{"index":\#(index)}}"#
    }
    private func move(_ id: String, before anchor: String) -> String {
        #"{"op":"move","id":"\#(id)","at":{"before":"\#(anchor)"}}"#
    }
    private func move(_ id: String, after anchor: String) -> String {
        #"{"op":"move","id":"\#(id)","at":{"after":"\#(anchor)"}}"#
    }

    private func expectUnchanged(_ service: TestService, _ list: String, version: Int = 1) async throws {
        let layout = try await service.layout()
        #expect(layout.favorites == list)
        #expect(layout.version == version)
        #expect(layout.tag == "\"\(version)\"")
    }

    private func answers(
        _ count: Int, _ request: @escaping @Sendable (Int) async throws -> Reply
    ) async throws -> [Reply] {
        try await withThrowingTaskGroup(of: Reply.self) { group in
            for index in 0..<count { group.addTask { try await request(index) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func case1OverlappingDragsNeitherDoubleNorLoseItems() async throws {
        for _ in 1...20 {
            let service = try await TestService(list5)
            let operations = [move("a", to: 2), move("b", to: 2)]
            let replies = try await answers(2) { try await service.operations(operations[$0]) }
            #expect(replies.map(\.status) == [200, 200])
            let layout = try await service.layout()
            #expect(layout.version == 3)
            // a first: b c a d e, then c a b d e. b first: a c b d e, then c b a d e.
            #expect(["c a b d e", "c b a d e"].contains(layout.favorites))
        }
    }

    @Test func case4EveryAcknowledgedParallelWriteIsThere() async throws {
        let ids = (1...50).map { "f\($0)" }
        let service = try await TestService("", catalog: catalogText(ids.joined(separator: " "), limit: 60))
        let replies = try await answers(50) { try await service.send(.put, "/v1/users/u1/layout/favorites/\(ids[$0])") }
        #expect(replies.allSatisfy { $0.status == 201 })
        let layout = try await service.layout()
        #expect(layout.version == 51)
        #expect(Set(layout.layout["favorites"]?.texts ?? []) == Set(ids))
    }

    @Test func cases6And7TheFirstRequestsOfANewUserMakeOneLayout() async throws {
        let service = try await TestService(catalog: catalogText(defaults: "a b"))
        let replies = try await answers(20) { index in
            index % 2 == 0
                ? try await service.layout("new") : try await service.send(.put, "/v1/users/new/layout/favorites/h")
        }
        #expect(replies.allSatisfy { $0.status == 200 || $0.status == 201 })
        #expect(replies.count { $0.status == 201 } == 1)
        let layout = try await service.layout("new")
        #expect(layout.favorites == "a b h")
        #expect(layout.version == 1)
    }

    @Test func case8OnlyTheAddressedLayoutChanges() async throws {
        let service = try await TestService("a b")
        try await service.store("a b", for: "u2")
        #expect(try await service.operations(move("b", to: 0)).favorites == "b a")
        let other = try await service.layout("u2")
        #expect(other.favorites == "a b")
        #expect(other.version == 1)
    }

    @Test func case10ARefusedRequestLeavesNothingBehind() async throws {
        let service = try await TestService(list5, catalog: catalogText(["b": #""movable": false"#]))
        let reply = try await service.operations(#"{"op":"remove","id":"a"},"# + move("b", to: 0))
        #expect(reply.status == 422)
        #expect(reply.code == "item_not_movable")
        #expect(reply.json["operationIndex"]?.number == 1)
        try await expectUnchanged(service, list5)
    }

    @Test func case11AnIndexIsTheFinalSlot() async throws {
        #expect(try await TestService(list7).operations(move("c", to: 5)).favorites == "a b d e f c g")
        #expect(try await TestService(list7).operations(move("c", before: "f")).favorites == "a b d e c f g")
    }

    @Test func case12AnIndexIsNeverClamped() async throws {
        let service = try await TestService(list4)
        let reply = try await service.operations(move("a", to: 4))
        #expect(reply.status == 409)
        #expect(reply.code == "index_out_of_range")
        #expect(reply.json["params"]?["min"]?.number == 0)
        #expect(reply.json["params"]?["max"]?.number == 3)
        try await expectUnchanged(service, list4)
        #expect(try await service.operations(move("a", to: 3)).favorites == "b c d a")
        #expect(try await service.operations(#"{"op":"add","id":"h","at":{"index":4}}"#).favorites == "b c d a h")
        #expect(
            try await service.operations(#"{"op":"add","id":"i","at":{"index":6}}"#).json["params"]?["max"]?.number == 5
        )
    }

    @Test func case13TheFirstPlaceCanBeReached() async throws {
        #expect(try await TestService("a b c").operations(move("c", to: 0)).favorites == "c a b")
        #expect(try await TestService("a b c").operations(move("c", before: "a")).favorites == "c a b")
    }

    @Test func case14AnAnchorIsLookedUpAfterTheItemIsTakenOut() async throws {
        #expect(try await TestService(list4).operations(move("a", after: "c")).favorites == "b c a d")
        #expect(try await TestService(list4).operations(move("d", after: "a")).favorites == "a d b c")
    }

    @Test func case15AnItemIsNotItsOwnAnchor() async throws {
        let service = try await TestService(list4)
        let reply = try await service.operations(move("b", before: "b"))
        #expect(reply.status == 400)
        #expect(reply.code == "anchor_is_self")
        let there = try await service.operations(move("b", before: "c"))
        #expect(there.status == 200)
        #expect(there.changed == false)
        try await expectUnchanged(service, list4)
    }

    @Test func case19ManyMovesWearNothingOut() async throws {
        let service = try await TestService(list5)
        let forth = move("e", before: "b")
        let back = #"{"op":"move","id":"e","at":{"edge":"last"}}"#
        for _ in 1...1_000 {
            let first = try await service.operations(forth)
            let second = try await service.operations(back)
            #expect(first.favorites == "a e b c d")
            #expect(second.favorites == list5)
        }
        try await expectUnchanged(service, list5, version: 2_001)
    }

    @Test func case20ARemovalLeavesNoGap() async throws {
        let service = try await TestService(list5)
        _ = try await service.operations(#"{"op":"remove","id":"d"}"#)
        #expect(try await service.operations(move("c", after: "e")).favorites == "a b e c")
        #expect(try await service.operations(move("a", to: 3)).favorites == "b e c a")
    }

    @Test func case22ALaterMoveSeesTheEarlierOne() async throws {
        let service = try await TestService(list4)
        let first = try await service.operations(move("a", to: 3))
        #expect(first.favorites == "b c d a")
        #expect(first.tag == #""2""#)
        #expect(try await service.operations(move("b", to: 3), ["If-Match": #""2""#]).favorites == "c d a b")
        let batch = try await TestService(list4).operations(move("a", to: 3) + "," + move("b", to: 3))
        #expect(batch.favorites == "c d a b")
        #expect(batch.version == 2)
    }

    @Test func case24AnItemsOwnDataDoesNotMoveIt() async throws {
        let service = try await TestService(list4)
        try await service.publish(
            catalogText("d c b a", ["b": #""icon": "/new.svg""#], titles: ["b": #"{"en": "New"}"#]))
        try await expectUnchanged(service, list4)
    }

    @Test func case25ADuplicateIsRefusedAndNotRepaired() async throws {
        let service = try await TestService(list4)
        let reply = try await service.put("a b a", ["If-Match": "*"])
        #expect(reply.status == 422)
        #expect(reply.code == "duplicate_item")
        #expect(reply.json["params"]?["id"]?.text == "a")
        #expect(reply.text.contains(#""params":{"id":"a","indexes":[0,2]}"#))
        try await expectUnchanged(service, list4)
    }

    @Test func case26NothingIsTruncated() async throws {
        let twelve = "a b c d e f g h i j k l"
        let service = try await TestService(list4)
        let reply = try await service.put(twelve + " m", ["If-Match": "*"])
        #expect(reply.status == 422)
        #expect(
            reply.text.contains(
                #""code":"favorites_limit","requestId":"0000000000000000","params":{"limit":12,"requested":13}"#))
        try await expectUnchanged(service, list4)
        #expect(try await service.put(twelve, ["If-Match": "*"]).status == 200)
        let add = try await service.operations(#"{"op":"add","id":"m"}"#)
        #expect(add.status == 409)
        #expect(add.code == "favorites_limit")
        try await expectUnchanged(service, twelve, version: 2)
    }

    @Test func case28IfMatchIsEquality() async throws {
        let service = try await TestService(list4)
        #expect(try await service.put("d c b a", ["If-Match": #""9""#]).status == 412)
        try await expectUnchanged(service, list4)
        #expect(try await service.put("d c b a", ["If-Match": "*"]).favorites == "d c b a")
    }

    @Test func case29AFailedConditionIs412WithTheLayout() async throws {
        let service = try await TestService(list4)
        let reply = try await service.put("d c b a", ["If-Match": #""0""#])
        #expect(reply.status == 412)
        #expect(reply.field("Content-Type") == "application/problem+json")
        #expect(reply.json["currentVersion"]?.number == 1)
        #expect(reply.json["current"]?["favorites"]?.texts == ["a", "b", "c", "d"])
    }

    @Test func case30ANoOpIsNoNewVersion() async throws {
        let service = try await TestService(list4)
        let same = try await service.put(list4, ["If-Match": #""1""#])
        #expect(same.status == 200)
        #expect(same.tag == #""1""#)
        #expect(same.changed == false)
        let next = try await service.operations(move("a", to: 1), ["If-Match": #""1""#])
        #expect(next.status == 200)
        #expect(next.tag == #""2""#)
    }

    @Test func case32AWeakTagDoesNotSatisfyIfMatch() async throws {
        let service = try await TestService(list4)
        let reply = try await service.put("d c b a", ["If-Match": #"W/"1""#])
        #expect(reply.status == 412)
        #expect(reply.code == "weak_validator")
        try await expectUnchanged(service, list4)
    }

    @Test func case33AWeakTagSatisfiesIfNoneMatch() async throws {
        let service = try await TestService(list4)
        let reply = try await service.get("/v1/users/u1/layout", ["If-None-Match": #"W/"1""#])
        #expect(reply.status == 304)
        #expect(reply.tag == #""1""#)
        #expect(reply.octets.isEmpty)
    }

    @Test(arguments: [#""1-gzip""#, #""1--gzip""#])
    func case34TheSuffixOfAProxyDoesNotBreakAWrite(tag: String) async throws {
        for isOn in [true, false] {
            let put = try await TestService(list4) { $0.toleratesProxyTagSuffixes = isOn }
            #expect(try await put.put("d c b a", ["If-Match": tag]).status == (isOn ? 200 : 412))
            let delete = try await TestService(list4) { $0.toleratesProxyTagSuffixes = isOn }
            #expect(
                try await delete.send(.delete, "/v1/users/u1/layout", ["If-Match": tag]).status == (isOn ? 200 : 412))
        }
    }

    @Test func case37TheReadValidatorCoversMoreThanTheWriteValidator() async throws {
        let service = try await TestService(list4)
        let page = try #require(try await service.get("/v1/users/u1/page").tag)
        let layout = try #require(try await service.layout().tag)
        try await service.publish(catalogText(titles: ["b": #"{"en": "New"}"#]))
        let next = try await service.get("/v1/users/u1/page", ["If-None-Match": page])
        #expect(next.status == 200)
        #expect(next.tag != page)
        #expect(try await service.put("d c b a", ["If-Match": layout]).status == 200)
    }

    @Test func case38ConditionsHoldOnSubResources() async throws {
        let service = try await TestService(list4)
        #expect(try await service.send(.delete, "/v1/users/u1/layout/favorites/a", ["If-Match": #""0""#]).status == 412)
        try await expectUnchanged(service, list4)
    }

    @Test func case40AQueuedEditDoesNotOverwriteAnotherDevice() async throws {
        let service = try await TestService(list4)
        _ = try await service.operations(#"{"op":"add","id":"e"}"#)
        let stale = try await service.put("d c b a", ["If-Match": #""1""#])
        #expect(stale.status == 412)
        #expect(stale.favorites == list5)
        let blind = try await service.put("d c b a")
        #expect(blind.status == 428)
        #expect(blind.code == "precondition_required")
        try await expectUnchanged(service, list5, version: 2)
    }

    @Test func case41AStaleEditIsMerged() async throws {
        let service = try await TestService(list4)
        _ = try await service.operations(#"{"op":"add","id":"e"}"#)
        let reply = try await service.operations(move("d", before: "a"), base: 1)
        #expect(reply.status == 200)
        #expect(reply.favorites == "d a b c e")
        #expect(reply.version == 3)
        #expect(reply.json["rebasedFrom"]?.number == 1)
    }

    @Test func case42AStaleDeviceDoesNotBringARemovedItemBack() async throws {
        let service = try await TestService(list5)
        _ = try await service.operations(#"{"op":"remove","id":"c"}"#)
        let reply = try await service.operations(move("c", to: 0), base: 1)
        #expect(reply.status == 200)
        #expect(reply.outcomes == ["skipped: item_absent"])
        #expect(reply.changed == false)
        try await expectUnchanged(service, "a b d e", version: 2)
    }

    @Test func case43ARemovedAnchorIsReplacedByItsNeighbour() async throws {
        let service = try await TestService(list5)
        _ = try await service.operations(#"{"op":"remove","id":"c"}"#)
        let reply = try await service.operations(move("e", after: "c"), base: 1)
        #expect(reply.favorites == "a b e d")
        #expect(reply.version == 3)
        #expect(reply.outcomes == ["anchor_substituted"])
    }

    @Test func case45QueuedEditsAreOneVersionInTheirOrder() async throws {
        let service = try await TestService(list4)
        let reply = try await service.operations(
            move("d", to: 0) + "," + move("a", to: 3) + "," + move("b", after: "c"))
        #expect(reply.favorites == "d c b a")
        #expect(reply.version == 2)
        #expect(reply.outcomes.count == 3)
    }

    @Test func case47ARetryIsAppliedOnce() async throws {
        let service = try await TestService(list4)
        let first = try await service.operations(move("a", after: "b"), ["Idempotency-Key": "k"])
        let second = try await service.operations(move("a", after: "b"), ["Idempotency-Key": "k"])
        #expect(second.status == first.status)
        #expect(second.octets == first.octets)
        #expect(second.tag == first.tag)
        #expect(second.field("Idempotency-Replayed") == "true")
        try await expectUnchanged(service, "b a c d", version: 2)
    }

    @Test func case48AnotherContentDoesNotGetTheKeptAnswer() async throws {
        let service = try await TestService(list4)
        _ = try await service.operations(move("a", after: "b"), ["Idempotency-Key": "k"])
        let reply = try await service.operations(move("a", after: "c"), ["Idempotency-Key": "k"])
        #expect(reply.status == 422)
        #expect(reply.code == "idempotency_key_reused")
        try await expectUnchanged(service, "b a c d", version: 2)
    }

    @Test func case49AParallelDuplicateIsAppliedOnce() async throws {
        let service = try await TestService(list4)
        let operation = #"{"op":"move","id":"a","at":{"after":"b"}}"#
        let replies = try await answers(20) { _ in try await service.operations(operation, ["Idempotency-Key": "k"]) }
        #expect(replies.allSatisfy { $0.status == 200 && $0.octets == replies[0].octets })
        #expect(replies.count { $0.field("Idempotency-Replayed") == nil } == 1)
        try await expectUnchanged(service, "b a c d", version: 2)
    }

    @Test func case52ASecondClientSeesTheSameOrder() async throws {
        let service = try await TestService(list4)
        _ = try await service.operations(move("a", to: 3))
        let seen = try await service.get("/v1/users/u1/layout", ["If-None-Match": #""1""#])
        #expect(seen.status == 200)
        #expect(seen.favorites == "b c d a")
        #expect(try await service.get("/v1/users/u1/layout", ["If-None-Match": try #require(seen.tag)]).status == 304)
    }

    @Test func case55APinnedItemDoesNotDrift() async throws {
        for (operation, outcome) in [
            (move("d", to: 0), "d a P b c"), (#"{"op":"remove","id":"a"}"#, "b c P d"),
            (#"{"op":"add","id":"h"}"#, "a b P c d h"),
            (move("a", to: 2), "422 slot_pinned"), (move("P", to: 0), "422 item_not_movable"),
            (move("a", after: "P"), "b c P a d"),
        ] {
            let reply = try await TestService("a b P c d", catalog: thirdPinned).operations(operation)
            #expect((reply.status == 200 ? reply.favorites : "\(reply.status) \(reply.code ?? "")") == outcome)
        }
    }

    @Test func case56TheSlotBesideAPinIsFree() async throws {
        for (operation, outcome) in [
            (move("c", to: 1), "p c a b"), (move("c", to: 0), "422 slot_pinned"),
            (move("c", before: "p"), "422 slot_pinned"),
        ] {
            let reply = try await TestService("p a b c", catalog: firstPinned).operations(operation)
            #expect((reply.status == 200 ? reply.favorites : "\(reply.status) \(reply.code ?? "")") == outcome)
        }
    }

    @Test func case57ThePageSaysThatAPinnedItemStays() async throws {
        let service = try await TestService("a b P c d", catalog: catalogText(["P": #""pin": 2, "removable": false"#]))
        let page = try await service.get("/v1/users/u1/page")
        let cell = page.json["sections"]?[0]?["cells"]?[2]
        #expect(cell?["id"]?.text == "P")
        #expect(cell?["canMove"]?.bool == false)
        #expect(cell?["refusal"]?["code"]?.text == "item_not_movable")
        #expect(cell?["badge"]?.text == "none")
        #expect(page.json["pins"]?["2"]?.text == "P")
    }

    @Test func case58AHiddenItemKeepsItsPlace() async throws {
        let service = try await TestService(list4)
        try await service.publish(catalogText(["b": #""status": "retired""#]))
        #expect(try await service.layout().favorites == "a c d")
        #expect(try await service.operations(move("d", to: 0)).favorites == "d a c")
        try await service.publish(catalogText())
        #expect(try await service.layout().favorites == "d a b c")
    }

    @Test func case59ADeletedFunctionIsShownNowhere() async throws {
        let service = try await TestService(list4)
        try await service.publish(catalogText("a c d"))
        let layout = try await service.layout()
        #expect(layout.favorites == "a c d")
        #expect(layout.version == 1)
        #expect(!(try await service.get("/v1/users/u1/page").text.contains(#""id":"b""#)))
        // Dropped from what is stored at the next write, and not before.
        #expect(try await service.operations(move("a", to: 0)).changed == false)
        _ = try await service.operations(move("d", to: 0))
        try await service.publish(catalogText())
        #expect(try await service.layout().favorites == "d a c")
    }

    @Test func case62ADryRunIsNotPermanent() async throws {
        let service = try await TestService(list4)
        let reply = try await service.operations(move("d", to: 0), query: "?validateOnly=true")
        #expect(reply.status == 200)
        #expect(reply.favorites == "d a b c")
        #expect(reply.json["validateOnly"]?.bool == true)
        try await expectUnchanged(service, list4)
    }
}
