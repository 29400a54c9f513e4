import HTTP1
import LayoutAPI
import Testing

@Suite struct LayoutResourceTests {
    @Test func theLayoutIsGivenWhole() async throws {
        let service = try await TestService("scan pay", catalog: catalogText("scan pay"))
        let reply = try await service.layout()
        #expect(
            reply.text
                == #"{"userId":"u1","version":1,"customized":true,"locked":false,"updatedAt":"2026-11-30T08:00:00.000Z","#
                + #""catalogRevision":1,"favorites":["scan","pay"]}"#)
        #expect(reply.field("Content-Type") == "application/json")
        #expect(reply.field("Cache-Control") == "private, no-cache")
        #expect(reply.tag == #""1""#)
    }

    @Test func aUserWhoWasNeverStoredFollowsTheDefaults() async throws {
        let service = try await TestService(catalog: catalogText(defaults: "a b"))
        let reply = try await service.layout("anybody")
        #expect(
            reply.text
                == #"{"userId":"anybody","version":0,"customized":false,"locked":false,"updatedAt":null,"catalogRevision":1,"favorites":["a","b"]}"#
        )
        #expect(reply.tag == #""0+c1""#)
    }

    @Test func withoutACatalogTheLayoutIsEmpty() async throws {
        let service = try await TestService(catalog: nil)
        let reply = try await service.layout()
        #expect(reply.status == 200)
        #expect(reply.favorites == "")
        #expect(try await service.operations(#"{"op":"add","id":"a"}"#).code == "unknown_function")
    }

    @Test func whatIsKeptInMemoryFollowsTheLayoutTheCatalogAndTheClient() async throws {
        let service = try await TestService(
            "a b", catalog: catalogText(["b": #""availability": {"platforms": ["ios"]}"#]))
        for _ in 1...2 {
            #expect(try await service.layout().favorites == "a b")
            #expect(try await service.get("/v1/users/u1/layout?platform=ios").favorites == "a b")
            #expect(try await service.get("/v1/users/u1/layout?platform=android").favorites == "a")
        }
        _ = try await service.put("b a", ["If-Match": #""1""#])
        #expect(try await service.layout().favorites == "b a")
        try await service.publish(catalogText(["b": #""status": "retired""#]))
        #expect(try await service.layout().favorites == "a")
        try await service.publish(catalogText())
        #expect(try await service.layout().favorites == "b a")
    }

    @Test func theClientsVersionDecidesWhatItSees() async throws {
        let fields = ["b": #""availability": {"minimumVersion": {"ios": "10.2"}, "maximumVersion": {"ios": "10.10"}}"#]
        let service = try await TestService("a b", catalog: catalogText(fields))
        for (query, list) in [
            ("", "a b"), ("?platform=ios", "a b"), ("?platform=ios&appVersion=10.1", "a"),
            ("?platform=ios&appVersion=10.2", "a b"),
            ("?platform=ios&appVersion=10.10.0", "a b"), ("?platform=ios&appVersion=10.11", "a"),
            ("?platform=android&appVersion=1", "a b"),
            ("?appVersion=1", "a b"),
        ] {
            #expect(try await service.get("/v1/users/u1/layout\(query)").favorites == list, "\(query)")
        }
    }

    @Test(arguments: [
        "?platform=", "?platform", "?platform=i%20os", "?appVersion=", "?appVersion=1..2", "?appVersion=x",
        "?appVersion=1234567890", "?appVersion=-1",
        "?platform=ios&platform=ios", "?Platform=ios", "?unknown=1", "?=", "?platform=%FF", "?%FF",
        "?validateOnly=true", "?proposed=1",
    ])
    func aQueryThatIsNotKnownIsRefused(query: String) async throws {
        let service = try await TestService("a b")
        let reply = try await service.get("/v1/users/u1/layout\(query)")
        #expect(reply.status == 400)
        #expect(reply.code == "invalid_parameter")
    }

    @Test func anEmptyQueryIsNone() async throws {
        let service = try await TestService("a b")
        for query in ["?", "?&", "?&&"] { #expect(try await service.get("/v1/users/u1/layout\(query)").status == 200) }
        let reply = try await service.get("/v1/users/u1/layout?validateonly=1")
        #expect(reply.json["params"]?["parameter"]?.text == "validateonly")
        let garbled = try await service.get("/v1/users/u1/layout?%FF")
        #expect(garbled.json["params"] == nil, "it has no name that can be said")
    }

    @Test func aMisspeltDryRunIsNoWrite() async throws {
        let service = try await TestService("a b")
        for query in [
            "?validateonly=true", "?validateOnly=yes", "?validateOnly=TRUE", "?validateOnly=1",
            "?validateOnly&validateOnly",
        ] {
            #expect(try await service.put("b a", ["If-Match": "*"], query: query).code == "invalid_parameter")
        }
        #expect(try await service.layout().version == 1)
    }

    // MARK: PUT and DELETE

    @Test func aWholeListIsStored() async throws {
        let service = try await TestService("a b c")
        service.advance(milliseconds: 250)
        let reply = try await service.put("c d a", ["If-Match": #""1""#])
        #expect(reply.status == 200)
        #expect(
            reply.text
                == #"{"layout":{"userId":"u1","version":2,"customized":true,"locked":false,"updatedAt":"2026-11-30T08:00:00.250Z","#
                + #""catalogRevision":1,"favorites":["c","d","a"]},"changed":true,"outcomes":[]}"#)
        #expect(reply.tag == #""2""#)
        #expect(reply.field("Content-Type") == "application/json")
        #expect(reply.field("Cache-Control") == "no-store")
        #expect(try await service.layout().favorites == "c d a")
    }

    @Test func aResetGoesBackToTheDefaultsAsANewVersion() async throws {
        let service = try await TestService("c", catalog: catalogText(defaults: "a b"))
        let reply = try await service.send(.delete, "/v1/users/u1/layout", ["If-Match": #""1""#])
        #expect(reply.status == 200)
        #expect(reply.favorites == "a b")
        #expect(reply.version == 2)
        #expect(reply.layout["customized"]?.bool == false)
        let again = try await service.send(.delete, "/v1/users/u1/layout", ["If-Match": try #require(reply.tag)])
        #expect(again.changed == false)
        #expect(again.version == 2)
    }

    @Test func aResetToTheSameListStillGivesUpTheListOfOnesOwn() async throws {
        let service = try await TestService("a b", catalog: catalogText(defaults: "a b"))
        let reply = try await service.send(.delete, "/v1/users/u1/layout", ["If-Match": #""1""#])
        #expect(reply.changed == true)
        #expect(reply.layout["customized"]?.bool == false)
    }

    @Test func aLockedLayoutIsNotChanged() async throws {
        let service = try await TestService("a b")
        try await service.lock(true)
        #expect(try await service.layout().layout["locked"]?.bool == true)
        for reply in [
            try await service.put("b a", ["If-Match": #""2""#]), try await service.put("a b", ["If-Match": #""1""#]),
            try await service.operations(#"{"op":"remove","id":"a"}"#),
            try await service.operations(#"{"op":"remove","id":"z"}"#),
            try await service.send(.delete, "/v1/users/u1/layout", ["If-Match": "*"]),
            try await service.send(.put, "/v1/users/u1/layout/favorites/c"),
            try await service.put("b a", base: 1),
        ] {
            #expect(reply.status == 409)
            #expect(reply.code == "layout_locked")
            #expect(reply.favorites == "a b")
            #expect(reply.version == 2)
        }
        try await service.lock(false)
        #expect(try await service.put("b a", ["If-Match": #""3""#]).version == 4)
    }

    // MARK: Content

    @Test(arguments: [
        (#"{"favorites":["a"],"favourites":["a"]}"#, "unknown_field", "/favourites"),
        (#"{"favorites":["a"],"If-Match":1}"#, "unknown_field", "/If-Match"),
        (#"{}"#, "missing_field", "/favorites"), (#"[]"#, "invalid_value", ""), (#""a""#, "invalid_value", ""),
        ("null", "invalid_value", ""),
        (#"{"favorites":null}"#, "invalid_value", "/favorites"),
        (#"{"favorites":{"0":"a"}}"#, "invalid_value", "/favorites"),
        (#"{"favorites":["a",1]}"#, "invalid_value", "/favorites/1"),
        (#"{"favorites":["a",null]}"#, "invalid_value", "/favorites/1"),
        (#"{"favorites":["a",""]}"#, "invalid_value", "/favorites/1"),
        (#"{"favorites":["a b"]}"#, "invalid_value", "/favorites/0"),
        (#"{"favorites":["é"]}"#, "invalid_value", "/favorites/0"),
        (#"{"favorites":["\u0000"]}"#, "invalid_value", "/favorites/0"),
        (
            #"{"favorites":["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]}"#, "invalid_value",
            "/favorites/0"
        ),
        (#"{"favorites":[],"baseVersion":-1}"#, "invalid_value", "/baseVersion"),
        (#"{"favorites":[],"baseVersion":"1"}"#, "invalid_value", "/baseVersion"),
        (#"{"favorites":[],"baseVersion":1.0}"#, "invalid_value", "/baseVersion"),
        (#"{"favorites":[],"baseVersion":null}"#, "invalid_value", "/baseVersion"),
        (#"{"favorites":[],"baseVersion":99999999999999999999}"#, "invalid_value", "/baseVersion"),
        (#"{"favorites":[],"favorites":[]}"#, "duplicate_field", "/favorites"),
        (#"{"favorites":[]"#, "invalid_json", ""), ("", "invalid_json", ""),
        (#"{"favorites":[]}{}"#, "invalid_json", ""), (" ", "invalid_json", ""),
    ])
    func contentThatIsNotAWholeListIsRefusedWithItsPlace(content: String, code: String, pointer: String) async throws {
        let service = try await TestService("a b")
        let reply = try await service.send(.put, "/v1/users/u1/layout", ["If-Match": "*"], content)
        #expect(reply.status == 400)
        #expect(reply.code == code)
        #expect(reply.json["pointer"]?.text == pointer)
        #expect(try await service.layout().version == 1)
    }

    @Test func aBaseVersionThatWasNeverHandedOutIsRefusedWhateverItIs() async throws {
        let service = try await TestService("a b")
        for version in [2, 99, Int.max] {
            let reply = try await service.put("b a", base: version)
            #expect(reply.status == 409)
            #expect(reply.code == "base_expired")
            #expect(reply.json["params"]?["baseVersion"]?.number == version)
        }
    }

    // MARK: Whose layout

    @Test(arguments: [
        "%FF", "", "%00", "a%0Ab", "%7F", "%C2%85", "me", "%6De", String(repeating: "u", count: 129),
        String(repeating: "%C3%A9", count: 65), "%C3",
    ])
    func whatIsNoUserIsRefused(user: String) async throws {
        let service = try await TestService()
        for reply in [
            try await service.layout(user), try await service.get("/v1/users/\(user)/page"),
            try await service.send(.put, "/v1/users/\(user)/layout", ["If-Match": "*"], #"{"favorites":[]}"#),
            try await service.send(.delete, "/v1/users/\(user)/layout/favorites/a"),
            try await service.get("/v1/users/\(user)/layout/favorites/a/targets"),
        ] {
            #expect(reply.status == 400)
            #expect(reply.code == "invalid_user")
        }
    }

    @Test func idsAreDecodedOnceAndComparedByBytes() async throws {
        let service = try await TestService()
        let users = [
            "%C3%A9", "e%CC%81", "E%CC%81", "%2525", "%25", "a%2Fb", "A", "a", "%20", "x%2E",
            String(repeating: "u", count: 128),
        ]
        for (index, user) in users.enumerated() {
            let list = String(UnicodeScalar(UInt8(97 + index)))
            #expect(try await service.send(.put, "/v1/users/\(user)/layout/favorites/\(list)").status == 201, "\(user)")
        }
        for (index, user) in users.enumerated() {
            #expect(try await service.layout(user).favorites == String(UnicodeScalar(UInt8(97 + index))), "\(user)")
        }
        #expect(try await service.layout("%61").favorites == "h", "an encoded letter is the letter")
        #expect(try await service.layout("a%2Fb").json["userId"]?.text == "a/b")
        #expect(try await service.layout("%2525").json["userId"]?.text == "%25")
    }

    @Test func anAbsoluteTargetAndAnEncodedPathAreTheSameResource() async throws {
        let service = try await TestService("a b")
        #expect(try await service.get("http://localhost:8080/v1/users/u1/layout").favorites == "a b")
        #expect(try await service.get("/%761/users/%75%31/l%61yout").favorites == "a b")
    }
}
