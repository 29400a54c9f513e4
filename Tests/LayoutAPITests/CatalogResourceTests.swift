import HTTP1
import LayoutAPI
import Testing

@Suite struct CatalogResourceTests {
    private static let catalog =
        #"{"revision":1,"policy":{"minimum":1,"limit":11},"defaults":["scan"],"sections":[{"id":"daily","title":{"de":"Alltag","en":"Daily"},"functions":["scan","pay"]}],"#
        + #""functions":[{"id":"scan","title":{"en":"Scan"},"icon":"/i.svg","link":"app://scan","removable":false,"pin":0,"#
        + #""availability":{"platforms":["ios"],"minimumVersion":{"ios":"10.2"},"maximumVersion":{"ios":"11"},"rollout":30}},"#
        + #"{"id":"pay","title":{"en":"Pay"},"movable":false,"required":true,"status":"retired"}]}"#

    @Test func whatWasPublishedIsServedInItsCanonicalForm() async throws {
        let service = try await TestService(catalog: nil)
        let published = try await service.send(.put, "/v1/catalog", ["If-Match": #""0""#], Self.catalog)
        #expect(published.status == 200)
        #expect(published.text == Self.catalog)
        #expect(published.field("Cache-Control") == "no-store")
        let current = try await service.get("/v1/catalog")
        #expect(current.text == Self.catalog)
        #expect(current.field("Cache-Control") == "no-cache")
        #expect(try await service.get("/v1/catalog/revisions/1").text == Self.catalog)
        // What GET gave can be published again: the server counts.
        let again = try await service.send(.put, "/v1/catalog", ["If-Match": #""1""#], current.text)
        #expect(again.json["revision"]?.number == 2)
        #expect(again.tag == #""2""#)
    }

    @Test func beforeTheFirstPublicationTheCatalogIsEmpty() async throws {
        let service = try await TestService(catalog: nil)
        let reply = try await service.get("/v1/catalog")
        #expect(
            reply.text
                == #"{"revision":0,"policy":{"minimum":0,"limit":12},"defaults":[],"sections":[],"functions":[]}"#)
        #expect(try await service.get("/v1/catalog/revisions").text == #"{"revisions":[]}"#)
        for revision in ["0", "1", "x"] {
            let reply = try await service.get("/v1/catalog/revisions/\(revision)")
            #expect(reply.status == 404)
            #expect(reply.json["detail"]?.text == "The catalog has no such revision; the newest is 0.")
        }
    }

    @Test func aFaultyCatalogIsRefusedWithEveryFault() async throws {
        let service = try await TestService()
        let catalog = """
            {"policy": {"minimum": 5, "limit": 2}, "defaults": ["nobody"], "sections": [],
             "functions": [{"id": "x", "title": {"de": "X"}, "pin": 3}, {"id": "x", "title": {"en": "X"}, "pin": 3, "status": "gone"}]}
            """
        for query in ["", "?validateOnly=true"] {
            let reply = try await service.send(.put, "/v1/catalog\(query)", ["If-Match": "*"], catalog)
            #expect(reply.status == 422)
            #expect(reply.code == "invalid_catalog")
            let faults = (reply.json["faults"]?.elements ?? []).map {
                "\($0["code"]?.text ?? "") \($0["pointer"]?.text ?? "")"
            }
            #expect(
                faults == [
                    "minimum_above_limit /policy/minimum", "unknown_id /defaults/0", "missing_title /functions/0/title",
                    "duplicate_id /functions/1/id",
                    "duplicate_pin /functions/1/pin", "invalid_status /functions/1/status",
                ])
        }
        #expect(try await service.get("/v1/catalog").tag == #""1""#)
    }

    @Test func ofVeryManyFaultsTheFirstAreListed() async throws {
        let service = try await TestService()
        let defaults = Array(repeating: "\"\"", count: 300_000).joined(separator: ",")
        let catalog = #"{"policy":{"limit":3},"defaults":[\#(defaults)],"sections":[],"functions":[]}"#
        let reply = try await service.send(.put, "/v1/catalog", ["If-Match": "*"], catalog)
        #expect(reply.json["faults"]?.elements?.count == 1_000)
        #expect(reply.json["detail"]?.text?.contains("300001 faults, of which the first 1000 are listed") == true)
        #expect(reply.text.utf8.count < 100_000)
    }

    /// The sign for kelvin: as a `String` it is a K.
    @Test func twoNamesThatLookAlikeAreNoOne() async throws {
        let service = try await TestService()
        let catalog =
            #"{"policy":{"limit":3},"defaults":[],"sections":[],"functions":[{"id":"a","title":{"en":"a","K":"b","\u212A":"c"}}]}"#
        let reply = try await service.send(.put, "/v1/catalog", ["If-Match": "*"], catalog)
        #expect(reply.code == "duplicate_field")
        #expect(reply.json["pointer"]?.text == "/functions/0/title/\u{212A}")
    }

    @Test(arguments: [
        (
            #"{"policy":{"limit":3},"defaults":[],"sections":[],"functions":[],"functoins":[]}"#, "unknown_field",
            "/functoins"
        ),
        (#"{"policy":{"limit":3,"max":4},"defaults":[],"sections":[],"functions":[]}"#, "unknown_field", "/policy/max"),
        (#"{"policy":{"limit":3},"defaults":[],"sections":[]}"#, "missing_field", "/functions"),
        (#"{"policy":{},"defaults":[],"sections":[],"functions":[]}"#, "missing_field", "/policy/limit"),
        (#"{"policy":{"limit":"3"},"defaults":[],"sections":[],"functions":[]}"#, "invalid_value", "/policy/limit"),
        (
            #"{"policy":{"limit":3},"defaults":[],"sections":[],"functions":[{"id":"a","title":{"en":"A"},"pinned":1}]}"#,
            "unknown_field", "/functions/0/pinned"
        ),
        (
            #"{"policy":{"limit":3},"defaults":[],"sections":[],"functions":[{"id":"a","title":"A"}]}"#,
            "invalid_value", "/functions/0/title"
        ),
        (
            #"{"policy":{"limit":3},"defaults":[],"sections":[],"functions":[{"id":"a","title":{"e/n":1}}]}"#,
            "invalid_value", "/functions/0/title/e~1n"
        ),
        (
            #"{"policy":{"limit":3},"defaults":[],"sections":[],"functions":[{"id":"a","title":{"en":"A"},"pin":1.0}]}"#,
            "invalid_value", "/functions/0/pin"
        ),
    ])
    func aCatalogOfTheWrongShapeIsRefusedWithItsPlace(content: String, code: String, pointer: String) async throws {
        let service = try await TestService()
        let reply = try await service.send(.put, "/v1/catalog", ["If-Match": "*"], content)
        #expect(reply.status == 400)
        #expect(reply.code == code)
        #expect(reply.json["pointer"]?.text == pointer)
    }

    @Test func hugeNumbersInACatalogAreFaultsAndNothingWorse() async throws {
        let service = try await TestService()
        let catalog = """
            {"policy": {"minimum": -9223372036854775808, "limit": 9223372036854775807}, "defaults": [], "sections": [],
             "functions": [{"id": "x", "title": {"en": "X"}, "pin": 9223372036854775807, "availability": {"rollout": -9223372036854775808}}]}
            """
        let reply = try await service.send(.put, "/v1/catalog", ["If-Match": "*"], catalog)
        #expect(reply.status == 422)
        #expect(reply.json["faults"]?.elements?.count == 4)
    }

    @Test func aRehearsalSaysHowManyLayoutsWouldShowSomethingElse() async throws {
        let service = try await TestService("a b c")
        try await service.store("b c", for: "u2")
        try await service.store("c", for: "u3")
        let catalog = catalogText(["b": #""status": "retired""#])
        let reply = try await service.send(.put, "/v1/catalog?validateOnly=true", ["If-Match": #""1""#], catalog)
        #expect(reply.status == 200)
        #expect(
            reply.text
                == #"{"validateOnly":true,"revision":2,"changesLayouts":true,"layouts":3,"layoutsChanged":2,"faults":[]}"#
        )
        #expect(try await service.get("/v1/catalog").tag == #""1""#)
        let titled = try await service.send(
            .put, "/v1/catalog?validateOnly", ["If-Match": #""1""#], catalogText(titles: ["a": #"{"en":"New"}"#]))
        #expect(titled.json["changesLayouts"]?.bool == false)
        #expect(titled.json["layoutsChanged"]?.number == 0)
    }

    @Test func revisionsAreListedNewestFirstPageByPage() async throws {
        let service = try await TestService()
        for _ in 2...5 { try await service.publish(catalogText()) }
        var target = "/v1/catalog/revisions?pageSize=2"
        var seen: [[Int]] = []
        while true {
            let reply = try await service.get(target)
            #expect(reply.status == 200)
            seen.append((reply.json["revisions"]?.elements ?? []).compactMap { $0["revision"]?.number })
            guard let token = reply.json["nextPageToken"]?.text else {
                #expect(reply.field("Link") == nil)
                break
            }
            target = "/v1/catalog/revisions?pageSize=2&pageToken=\(token)"
            #expect(reply.field("Link") == "<\(target)>; rel=\"next\"")
        }
        #expect(seen == [[5, 4], [3, 2], [1]])
        let all = try await service.get("/v1/catalog/revisions")
        #expect(all.json["revisions"]?.elements?.count == 5)
        #expect(
            all.text.hasPrefix(
                #"{"revisions":[{"revision":5,"publishedAt":"2026-11-30T08:00:00.000Z","publishedBy":""}"#))
    }

    @Test(arguments: [
        "pageSize=0", "pageSize=201", "pageSize=-1", "pageSize=", "pageSize=2.0", "pageSize=99999999999999999999",
        "pageToken=0", "pageToken=x", "pageToken=+5",
        "pageToken=9223372036854775807", "pageToken=-9223372036854775808", "page=2", "pageSize=1&pageSize=2",
    ])
    func aPageThatCannotBeIsRefused(query: String) async throws {
        let service = try await TestService()
        let reply = try await service.get("/v1/catalog/revisions?\(query)")
        #expect(reply.status == 400)
        #expect(reply.code == "invalid_parameter")
    }

    @Test(arguments: [
        "2", "0", "-1", "+1", "01", "1.0", "x", "", "99999999999999999999", "9223372036854775807", "%FF", "1%2F",
    ])
    func aRevisionThatIsNotThereIsNotFound(revision: String) async throws {
        let service = try await TestService()
        let reply = try await service.get("/v1/catalog/revisions/\(revision)")
        #expect(reply.status == 404)
        #expect(reply.code == "not_found")
    }

    @Test func anOldRevisionStaysAsItWas() async throws {
        let service = try await TestService()
        let first = try await service.get("/v1/catalog/revisions/1")
        try await service.publish(catalogText(limit: 3))
        #expect(try await service.get("/v1/catalog/revisions/1").text == first.text)
        #expect(try await service.get("/v1/catalog/revisions/1").tag == #""1""#)
        #expect(try await service.get("/v1/catalog", ["If-None-Match": #""1""#]).status == 200)
    }

    @Test func theCatalogIsCodedWhereThatIsAskedFor() async throws {
        let service = try await TestService(catalog: largeCatalog)
        for target in ["/v1/catalog", "/v1/catalog/revisions/1"] {
            let coded = try await service.get(target, ["Accept-Encoding": "gzip"])
            #expect(coded.field("Content-Encoding") == "gzip")
            #expect(coded.tag == #""1+gzip""#)
            #expect(coded.field("Vary") == "Accept-Encoding")
        }
        #expect(try await service.send(.put, "/v1/catalog", ["If-Match": #""1+gzip""#], catalogText()).status == 200)
    }

    @Test func aCatalogMayBeLargerThanALayoutAndALayoutThanTheRest() async throws {
        func limit(_ service: TestService, _ method: Method, _ target: String) throws -> Int? {
            guard case .whole(let limit) = service.api.delivery(for: try Request(method, target)) else { return nil }
            return limit
        }
        let service = try await TestService()
        #expect(try limit(service, .put, "/v1/catalog") == 4 * 1_024 * 1_024)
        #expect(try limit(service, .put, "/v1/users/u1/layout") == 160_000)
        #expect(try limit(service, .post, "/nowhere") == 64 * 1_024)
        #expect(try limit(service, .get, "/v1/catalog") == 64 * 1_024)
        // What the operator allows for all is allowed for these, too.
        let generous = try await TestService { $0.contentLimit = 1_024 * 1_024 }
        #expect(try limit(generous, .put, "/v1/users/u1/layout") == 1_024 * 1_024)
        #expect(try limit(generous, .put, "/v1/catalog") == 4 * 1_024 * 1_024)
    }
}
