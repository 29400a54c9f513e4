import HTTP1
import LayoutApplication
import LayoutModel
import Testing

@testable import LayoutAPI

@Suite struct HistoryTests {
    @Test func revisionsComeNewestFirstPageByPage() async throws {
        let service = try await TestService("a b c")
        for list in ["b a c", "c b a", "a c b", "b c a"] { try await service.store(list) }
        var versions: [Int] = []
        var target: String? = "/v1/users/u1/layout/revisions?pageSize=2"
        while let next = target {
            let reply = try await service.get(next)
            #expect(reply.status == 200)
            for revision in reply.json["revisions"]?.elements ?? [] {
                versions.append(try #require(revision["version"]?.number))
            }
            let link = reply.field("Link")
            #expect((link == nil) == (reply.json["nextPageToken"] == nil))
            target = link.map { String($0.drop { $0 == "<" }.prefix { $0 != ">" }) }
        }
        #expect(versions == [5, 4, 3, 2, 1])
    }

    @Test func aPageBeginsAtANumberThatAnswersTakeToo() async throws {
        let service = try await TestService("a b c")
        for path in ["/v1/users/u1/layout/revisions", "/v1/catalog/revisions"] {
            let digits = String(repeating: "9", count: 18)
            #expect(try await service.get("\(path)?pageToken=\(digits)").status == 200)
            let reply = try await service.get("\(path)?pageToken=1000000000000000000")
            #expect(
                reply.json["detail"]?.text
                    == "'pageToken' is a whole number from 1 to \(digits), not '1000000000000000000'.")
        }
    }

    @Test func aRevisionSaysWhatWasDoneByWhom() async throws {
        let service = try await TestService("a b c")
        _ = try await service.operations(#"{"op": "remove", "id": "b"}"#, ["Pegboard-Client": "ios/10.3.1 (x)"])
        let revision = try await service.get("/v1/users/u1/layout/revisions/2")
        #expect(revision.status == 200)
        #expect(revision.json["kind"]?.text == "operations")
        #expect(revision.json["origin"]?.text == "ios/10.3.1 (x)")
        #expect(revision.json["favorites"]?.texts == ["a", "c"])
    }

    @Test func whatIsOlderThanTheHistoryIsGoneAndWhatNeverWasIsNotFound() async throws {
        let service = try await TestService("a b c")
        for number in 0..<60 { try await service.store(number % 2 == 0 ? "b a c" : "a b c") }
        #expect(try await service.get("/v1/users/u1/layout/revisions/1").code == "revision_gone")
        #expect(try await service.get("/v1/users/u1/layout/revisions/1").status == 410)
        for path in ["0", "62", "x", "01"] {
            let reply = try await service.get("/v1/users/u1/layout/revisions/\(path)")
            #expect(reply.status == 404)
            #expect(reply.json["detail"]?.text == "The layout has no such version; the newest is 61.")
        }
    }

    @Test func aVersionThatCannotBeTakenUpSaysWhy() async throws {
        let service = try await TestService("a b c")
        for version in 2...60 { try await service.store(version % 2 == 0 ? "b a c" : "a b c") }
        for (version, why) in [
            (1, "Version 1 of this layout is no longer known; the history reaches back to version 11."),
            (99, "There never was a version 99 of this layout; the newest is 60."),
        ] {
            let base = try await service.operations(#"{"op": "remove", "id": "a"}"#, base: version)
            #expect(base.code == "base_expired")
            #expect(base.json["detail"]?.text == why)
            #expect(base.json["params"]?["baseVersion"]?.number == version)
            let target = try await service.revert(to: version, ["If-Match": #""60""#])
            #expect(target.code == "base_expired")
            #expect(target.json["detail"]?.text == why)
            #expect(target.json["params"]?.names == ["toVersion"])
        }
    }

    /// Healing shows what is stored otherwise; the list that is wanted back is the one that is there.
    @Test func undoToWhatIsThereChangesNothing() async throws {
        let service = try await TestService("a gone b")
        let reply = try await service.revert(to: 1, ["If-Match": #""1+c1""#])
        #expect(reply.status == 200)
        #expect(reply.changed == false)
        #expect(reply.version == 1)
    }

    @Test func undoToTheDefaultsIsAChangeForWhoHasThemByChoice() async throws {
        let service = try await TestService("a b", catalog: catalogText(defaults: "a b"))
        let reply = try await service.revert(to: 0, ["If-Match": #""1""#])
        #expect(reply.changed == true)
        #expect(reply.layout["customized"]?.bool == false)
    }

    @Test func undoRestoresAListAsANewVersion() async throws {
        let service = try await TestService("a b c d")
        try await service.store("d a")
        let reply = try await service.revert(to: 1, ["If-Match": #""2""#])
        #expect(reply.status == 200)
        #expect(reply.tag == #""3""#)
        #expect(reply.layout["favorites"]?.texts == ["a", "b", "c", "d"])
        #expect(try await service.get("/v1/users/u1/layout/revisions/3").json["kind"]?.text == "revert")
    }

    @Test func undoNamesWhatCouldNotComeBack() async throws {
        let service = try await TestService("a b c d")
        try await service.store("a")
        try await service.publish(catalogText(["b": #""status": "retired""#]))
        let reply = try await service.revert(to: 1, ["If-Match": #""2""#])
        #expect(reply.layout["favorites"]?.texts == ["a", "c", "d"])
        #expect(reply.json["missing"]?.elements?.compactMap { $0["id"]?.text } == ["b"])
        #expect(reply.json["missing"]?.elements?.compactMap { $0["code"]?.text } == ["function_unavailable"])
        // It keeps its place, and comes back to it.
        try await service.publish(catalogText())
        #expect(try await service.layout().json["favorites"]?.texts == ["a", "b", "c", "d"])
    }

    @Test func undoToTheDefaultsFollowsThemAgain() async throws {
        let service = try await TestService("a b c d")
        let reply = try await service.revert(to: 0, ["If-Match": #""1""#])
        #expect(reply.layout["customized"]?.bool == false)
        #expect(reply.layout["version"]?.number == 2)
    }

    @Test func undoNeedsItsConditionAndAKnownVersion() async throws {
        let service = try await TestService("a b c d")
        #expect(try await service.revert(to: 0).status == 428)
        #expect(try await service.revert(to: 0, ["If-Match": #""9""#]).status == 412)
        let unknown = try await service.revert(to: 7, ["If-Match": #""1""#])
        #expect(unknown.status == 409)
        #expect(unknown.code == "base_expired")
        let same = try await service.revert(to: 1, ["If-Match": #""1""#])
        #expect(same.json["changed"]?.bool == false)
        #expect(same.tag == #""1""#)
    }
}

@Suite struct SupportTests {
    @Test func aLockFreezesALayoutAndGivesItBackAsItWas() async throws {
        let service = try await TestService("a b c")
        let lock = try await service.send(.put, "/v1/users/u1/layout/lock")
        #expect(lock.status == 200)
        #expect(lock.layout["locked"]?.bool == true)
        #expect(try await service.send(.put, "/v1/users/u1/layout/lock").json["changed"]?.bool == false)
        let move = try await service.operations(#"{"op": "move", "id": "a", "at": {"edge": "last"}}"#)
        #expect(move.status == 409)
        #expect(move.code == "layout_locked")
        #expect(try await service.revert(to: 1, ["If-Match": #""2""#]).code == "layout_locked")
        let unlock = try await service.send(.delete, "/v1/users/u1/layout/lock")
        #expect(unlock.layout["favorites"]?.texts == ["a", "b", "c"])
        #expect(unlock.tag == #""3""#)
        #expect(try await service.operations(#"{"op": "move", "id": "a", "at": {"edge": "last"}}"#).status == 200)
    }

    @Test func everythingHeldAboutAUserCanBeReadAndErased() async throws {
        let service = try await TestService("a b c")
        _ = try await service.operations(#"{"op": "remove", "id": "b"}"#, ["Idempotency-Key": "k1"])
        let held = try await service.get("/v1/users/u1")
        #expect(held.layout["favorites"]?.texts == ["a", "c"])
        #expect(held.json["revisions"]?.elements?.count == 2)
        #expect(held.json["recordedRequests"]?.elements?.compactMap { $0["key"]?.text } == ["k1"])

        #expect(try await service.send(.delete, "/v1/users/u1").status == 204)
        #expect(try await service.send(.delete, "/v1/users/u1").status == 204)
        let after = try await service.get("/v1/users/u1")
        #expect(after.json["revisions"]?.elements?.isEmpty == true)
        #expect(after.json["recordedRequests"]?.elements?.isEmpty == true)
        #expect(try await service.layout().json["version"]?.number == 0)
        // No version is used twice: what comes next comes after what was.
        _ = try await service.operations(#"{"op": "add", "id": "d"}"#)
        #expect(try await service.layout().json["version"]?.number == 3)
    }
}

extension TestService {
    fileprivate func revert(
        to version: Int, _ fields: KeyValuePairs<StaticString, String> = [:]
    ) async throws -> Reply {
        try await send(.post, "/v1/users/u1/layout/reversions", fields, #"{"toVersion": \#(version)}"#)
    }
}
