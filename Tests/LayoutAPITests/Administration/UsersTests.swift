import HTTP1
import LayoutModel
import Testing

@testable import LayoutAPI

@Suite struct UsersTests {
    private func service(_ users: String...) async throws -> TestService {
        let service = try await TestService()
        for user in users { try await service.store("a", for: user) }
        return service
    }

    private func names(_ reply: Reply) -> [String] {
        (reply.json["users"]?.elements ?? []).compactMap { $0["userId"]?.text }
    }

    /// All pages, one after the other by their links.
    private func walk(_ service: TestService, _ target: String) async throws -> [[String]] {
        var pages: [[String]] = []
        var next: String? = target
        while let target = next {
            let reply = try await service.get(target)
            try #require(reply.status == 200, "\(reply.text)")
            pages.append(names(reply))
            next = reply.field("Link").map { String($0.dropFirst().prefix { $0 != ">" }) }
            #expect((reply.json["nextPageToken"] != nil) == (next != nil))
        }
        return pages
    }

    /// No user's id, and the beginning of some.
    @Test func aPrefixMayBeMe() async throws {
        let service = try await service("max", "mel", "mia")
        #expect(names(try await service.get("/v1/admin/users?prefix=me")) == ["mel"])
    }

    @Test func aUserIsSaidWithWhatIsStored() async throws {
        let service = try await service("u1")
        try await service.store(nil, for: "u1", locked: true)
        let user = try #require(try await service.get("/v1/admin/users").json["users"]?[0])
        #expect(user.names == ["userId", "version", "customized", "locked", "updatedAt"])
        #expect(user["version"]?.number == 2)
        #expect(user["customized"]?.bool == false)
        #expect(user["locked"]?.bool == true)
    }

    @Test func nobodyIsStored() async throws {
        let reply = try await TestService().get("/v1/admin/users")
        #expect(reply.text == #"{"users":[]}"#)
    }

    @Test func pagesAreInTheOrderOfTheBytesAndHaveEverybodyOnce() async throws {
        let service = try await service("b", "a", "é", "B", "a/b c", "a%", "z")
        #expect(
            try await walk(service, "/v1/admin/users?pageSize=2") == [
                ["B", "a"], ["a%", "a/b c"], ["b", "z"], ["é"],
            ])
    }

    @Test func aPrefixFindsThoseWhoBeginWithIt() async throws {
        let service = try await service("a", "ab", "ab1", "ab2", "ac", "b", "ab é", "A")
        #expect(try await walk(service, "/v1/admin/users?prefix=ab&pageSize=2") == [["ab", "ab é"], ["ab1", "ab2"]])
        #expect(try await walk(service, "/v1/admin/users?prefix=ab%20%C3%A9&pageSize=1") == [["ab é"]])
        #expect(try await walk(service, "/v1/admin/users?prefix=ab1") == [["ab1"]])
        #expect(try await walk(service, "/v1/admin/users?prefix=abc") == [[]])
        #expect(try await walk(service, "/v1/admin/users?prefix=&pageSize=200").map(\.count) == [8])
    }

    /// Half a letter in front is no UTF-8, and letters that look alike are not alike.
    @Test func aPrefixIsBytes() async throws {
        let service = try await service("e\u{301}", "\u{e9}")
        #expect(try await walk(service, "/v1/admin/users?prefix=%C3%A9") == [["\u{e9}"]])
        #expect(try await service.get("/v1/admin/users?prefix=%C3").code == "invalid_parameter")
    }

    @Test(arguments: [
        "pageSize=0", "pageSize=201", "pageToken=!", "pageToken=", "pageToken=AA", "prefix=%07",
        "prefix=\(String(repeating: "x", count: 129))", "name=a",
    ])
    func whatCannotBeMeantIsRefused(query: String) async throws {
        let reply = try await service("a").get("/v1/admin/users?\(query)")
        #expect(reply.status == 400)
        #expect(reply.code == "invalid_parameter")
    }
}

@Suite struct ErasingTests {
    private let user = "/v1/users/u1"

    @Test func aConditionIsHeldAgainstTheLayoutsTag() async throws {
        let service = try await TestService("a b c")
        let failed = try await service.send(.delete, user, ["If-Match": #""999""#])
        #expect(failed.status == 412)
        #expect(failed.code == "precondition_failed")
        #expect(failed.favorites == "a b c", "the layout as it is")
        #expect(try await service.send(.delete, user, ["If-Match": #"W/"1""#]).code == "weak_validator")
        #expect(try await service.send(.delete, user, ["If-None-Match": #""1""#]).status == 412)
        for value in ["1", "garbage", ""] {
            #expect(try await service.send(.delete, user, ["If-Match": value]).code == "malformed_validator")
        }
        #expect(try await service.layout().version == 1)
        #expect(try await service.send(.delete, user, ["If-Match": #""1""#]).status == 204)
        #expect(try await service.layout().version == 0)
        #expect(try await service.send(.delete, user, ["If-Match": "*"]).status == 204, "there always is a layout")
    }

    @Test func theTagIsThatOfTheClientWhoAsks() async throws {
        let hidden = catalogText(["b": #""availability": {"platforms": ["android"]}"#])
        let service = try await TestService("a b c", catalog: hidden)
        let tag = try #require(try await service.get("\(user)/layout?platform=ios").tag)
        #expect(tag == #""1+c1""#)
        #expect(try await service.send(.delete, "\(user)?platform=android", ["If-Match": tag]).status == 412)
        #expect(try await service.send(.delete, "\(user)?platform=ios", ["If-Match": tag]).status == 204)
    }
}
