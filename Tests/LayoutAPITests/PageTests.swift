import HTTP1
import LayoutAPI
import Testing

@Suite struct PageTests {
    private static let catalog = """
        {"policy": {"minimum": 1, "limit": 3}, "defaults": ["scan", "pay"],
         "sections": [
           {"id": "daily", "title": {"en": "Daily", "zh-Hans": "日常"}, "functions": ["scan", "pay"]},
           {"id": "finance", "title": {"en": "Finance", "de": "Finanzen"}, "functions": ["transfer", "fund", "old"]}],
         "functions": [
           {"id": "scan", "title": {"en": "Scan", "de": "Scannen", "zh-Hans": "扫一扫"}, "icon": "/icons/scan.svg", "link": "app://scan",
            "pin": 0, "removable": false},
           {"id": "pay", "title": {"en": "Pay"}}, {"id": "transfer", "title": {"en": "Transfer"}},
           {"id": "fund", "title": {"en": "Funds"}, "availability": {"platforms": ["ios"]}},
           {"id": "old", "title": {"en": "Old"}, "status": "retired"}]}
        """

    private func cells(_ reply: Reply, _ section: Int) -> [JSONLine] {
        (reply.json["sections"]?[section]?["cells"]?.elements ?? []).map {
            JSONLine(id: $0["id"]?.text ?? "", badge: $0["badge"]?.text ?? "", refusal: $0["refusal"]?["code"]?.text)
        }
    }

    private struct JSONLine: Equatable {
        var id: String
        var badge: String
        var refusal: String?
    }

    @Test func thePageIsComposedOfLayoutAndCatalog() async throws {
        let service = try await TestService("scan pay", catalog: Self.catalog)
        let reply = try await service.get("/v1/users/u1/page?platform=android")
        #expect(
            reply.text
                == #"{"userId":"u1","layoutVersion":1,"catalogRevision":1,"locale":"en","limit":3,"minimum":1,"locked":false,"sections":["#
                + #"{"id":"favorites","title":"My functions","policy":{"canMove":true,"canAdd":true,"canRemove":true},"cells":["#
                + #"{"id":"scan","title":"Scan","icon":"/icons/scan.svg","link":"app://scan","badge":"none","canMove":false,"canRemove":false,"#
                + #""refusal":{"code":"item_not_movable","title":"Scan always comes first","params":{"id":"scan"}}},"#
                + #"{"id":"pay","title":"Pay","badge":"remove","canMove":true,"canRemove":true}]},"#
                + #"{"id":"daily","title":"Daily","policy":{"canMove":false,"canAdd":false,"canRemove":false},"cells":["#
                + #"{"id":"scan","title":"Scan","icon":"/icons/scan.svg","link":"app://scan","badge":"added"},{"id":"pay","title":"Pay","badge":"added"}]},"#
                + #"{"id":"finance","title":"Finance","policy":{"canMove":false,"canAdd":false,"canRemove":false},"cells":["#
                + #"{"id":"transfer","title":"Transfer","badge":"add"}]}],"pins":{"0":"scan"}}"#)
        #expect(reply.field("Cache-Control") == "private, no-cache")
        #expect(reply.field("Content-Language") == "en")
    }

    @Test func theLimitTakesThePlusAway() async throws {
        let service = try await TestService("scan pay transfer", catalog: Self.catalog)
        let reply = try await service.get("/v1/users/u1/page")
        #expect(
            cells(reply, 2) == [
                .init(id: "transfer", badge: "added"), .init(id: "fund", badge: "full", refusal: "favorites_limit"),
            ])
        let write = try await service.operations(#"{"op":"add","id":"fund"}"#)
        #expect(write.code == "favorites_limit")
        #expect(write.json["params"] == reply.json["sections"]?[2]?["cells"]?[1]?["refusal"]?["params"])
    }

    @Test func aLockedPageOffersNothing() async throws {
        let service = try await TestService("scan pay", catalog: Self.catalog)
        try await service.lock(true)
        let reply = try await service.get("/v1/users/u1/page")
        #expect(reply.json["locked"]?.bool == true)
        #expect(cells(reply, 0).map(\.badge) == ["none", "none"])
        #expect(cells(reply, 0).map(\.refusal) == ["layout_locked", "layout_locked"])
        #expect(cells(reply, 2).map(\.badge) == ["none", "none"])
        #expect(reply.json["sections"]?[0]?["policy"]?["canMove"]?.bool == false)
    }

    @Test(arguments: [
        ("", "en", "My functions", "Scan", "Finance"), ("de", "de", "Meine Funktionen", "Scannen", "Finanzen"),
        ("zh-CN, en;q=0.5", "zh-Hans", "我的应用", "扫一扫", "Finance"), ("fr", "en", "My functions", "Scan", "Finance"),
    ])
    func titlesAreInTheLanguageThatIsWanted(
        accept: String, locale: String, own: String, scan: String, finance: String
    ) async throws {
        let service = try await TestService("scan pay", catalog: Self.catalog)
        let reply = try await service.get("/v1/users/u1/page", ["Accept-Language": accept])
        #expect(reply.json["locale"]?.text == locale)
        #expect(reply.field("Content-Language") == locale)
        #expect(reply.field("Vary") == "Accept-Language, Accept-Encoding")
        #expect(reply.json["sections"]?[0]?["title"]?.text == own)
        #expect(reply.json["sections"]?[0]?["cells"]?[0]?["title"]?.text == scan)
        #expect(reply.json["sections"]?[2]?["title"]?.text == finance)
    }

    @Test func thePagesTagCoversAllThatIsShown() async throws {
        let service = try await TestService("scan pay", catalog: Self.catalog)
        let first = try #require(try await service.get("/v1/users/u1/page").tag)
        #expect(try await service.get("/v1/users/u1/page", ["If-None-Match": first]).status == 304)
        let german = try await service.get("/v1/users/u1/page", ["If-None-Match": first, "Accept-Language": "de"])
        #expect(german.status == 200)
        try await service.publish(Self.catalog.replacing("Transfer", with: "Send money"))
        let titled = try await service.get("/v1/users/u1/page", ["If-None-Match": first])
        #expect(titled.status == 200)
        #expect(titled.text.contains("Send money"))
        _ = try await service.operations(#"{"op":"add","id":"transfer"}"#)
        let moved = try await service.get("/v1/users/u1/page", ["If-None-Match": try #require(titled.tag)])
        #expect(moved.status == 200)
        #expect(Set([first, german.tag, titled.tag, moved.tag]).count == 4)
    }

    @Test func aLargePageIsCodedWhereThatIsAskedFor() async throws {
        let service = try await TestService(catalog: largeCatalog)
        let coded = try await service.get("/v1/users/u1/page", ["Accept-Encoding": "gzip"])
        let plain = try await service.get("/v1/users/u1/page")
        #expect(coded.field("Content-Encoding") == "gzip")
        #expect(coded.octets.count < plain.octets.count)
        #expect(coded.tag != plain.tag)
        for tag in [coded.tag, plain.tag] {
            let unchanged = try await service.get(
                "/v1/users/u1/page", ["Accept-Encoding": "gzip", "If-None-Match": try #require(tag)])
            #expect(unchanged.status == 304)
            #expect(unchanged.tag == tag)
        }
    }

    /// Pages are kept on the layout in memory; a kept one must never be another's.
    @Test func aKeptPageIsGivenToWhoItWasMadeFor() async throws {
        let service = try await TestService("scan pay", catalog: Self.catalog)
        let requests: [(query: String, fields: KeyValuePairs<StaticString, String>)] = [
            ("", [:]), ("", ["Accept-Language": "de"]), ("?platform=android", [:]), ("?platform=ios", [:]),
            ("?platform=android", ["Accept-Language": "de"]), ("", ["Accept-Language": "fr, zh;q=0.5"]),
        ]
        let fresh = try await requests.asyncMap { request in
            try await TestService("scan pay", catalog: Self.catalog).get(
                "/v1/users/u1/page\(request.query)", request.fields
            ).text
        }
        for round in 0..<3 {
            for (request, page) in zip(requests, fresh) {
                // Twice, so that the second one comes from memory; the layout in between, which is kept beside it.
                for _ in 0..<2 {
                    let reply = try await service.get("/v1/users/u1/page\(request.query)", request.fields)
                    #expect(reply.text == page, "\(request), round \(round)")
                }
                #expect(try await service.get("/v1/users/u1/layout\(request.query)").json["favorites"] != nil)
            }
        }
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
