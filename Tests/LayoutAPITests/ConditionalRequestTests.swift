import HTTP1
import LayoutAPI
import Testing

/// RFC 9110 §13, resource by resource.
@Suite struct ConditionalRequestTests {
    // MARK: Reading

    @Test(arguments: [
        (#""1""#, 304), (#"W/"1""#, 304), (#""0", "1""#, 304), (#""a,b" , W/"1""#, 304), ("*", 304),
        (#""1+gzip""#, 304), (#",, "1","#, 304),
        (#""0""#, 200), (#"W/"11""#, 200), (#""1-gzip""#, 200), (#""1,""#, 200), (#""""#, 200),
    ])
    func ifNoneMatchComparesWeakly(value: String, status: Int) async throws {
        let service = try await TestService("a b c")
        #expect(try await service.get("/v1/users/u1/layout", ["If-None-Match": value]).status == status)
    }

    @Test(arguments: [
        "1", "W/1", #"w/"1""#, #""1"#, #"1""#, #""1" "2""#, #""1"x"#, #"*, "1""#, "**", #""a b""#, #"W/ "1""#,
    ])
    func aMalformedValidatorIsRefusedAndNeverIgnored(value: String) async throws {
        let service = try await TestService("a b c")
        let catalog = catalogText()
        for reply in [
            try await service.get("/v1/users/u1/layout", ["If-None-Match": value]),
            try await service.get("/v1/users/u1/layout", ["If-Match": value]),
            try await service.get("/v1/users/u1/layout", ["If-None-Match": #""1""#, "If-None-Match": value]),
            try await service.get("/v1/users/u1/page", ["If-None-Match": value]),
            try await service.get("/v1/catalog", ["If-Match": value]),
            try await service.put("c b a", ["If-Match": value]),
            try await service.put("c b a", ["If-Match": #""1""#, "If-Match": value]),
            try await service.put("c b a", ["If-Match": #""1""#, "If-None-Match": value]),
            try await service.send(.delete, "/v1/users/u1/layout", ["If-Match": value]),
            try await service.send(.delete, "/v1/users/u1/layout/favorites/a", ["If-Match": value]),
            try await service.operations(#"{"op":"remove","id":"a"}"#, ["If-Match": value]),
            try await service.send(.put, "/v1/catalog", ["If-Match": value], catalog),
        ] {
            #expect(reply.status == 400)
            #expect(reply.code == "malformed_validator")
        }
        #expect(try await service.layout().favorites == "a b c")
    }

    @Test(arguments: ["", ",", " , ,"])
    func anEmptyListIsMalformedAndAnEmptyElementIsNot(value: String) async throws {
        let service = try await TestService("a b c")
        #expect(try await service.get("/v1/users/u1/layout", ["If-None-Match": value]).status == 400)
        #expect(try await service.put("c b a", ["If-Match": value]).status == 400)
        #expect(try await service.put("c b a", ["If-Match": value, "If-Match": #""1""#]).status == 200)
    }

    @Test func aStarAmongOtherLinesIsMalformed() async throws {
        let service = try await TestService("a b c")
        #expect(try await service.put("c b a", ["If-Match": "*", "If-Match": #""1""#]).status == 400)
        #expect(try await service.put("c b a", ["If-Match": #""1""#, "If-Match": "*"]).status == 400)
    }

    @Test func aNotModifiedAnswerHasTheFieldsThatACacheNeedsAndNoContent() async throws {
        let service = try await TestService("a b c")
        for target in ["/v1/users/u1/layout", "/v1/users/u1/page", "/v1/catalog", "/v1/catalog/revisions/1"] {
            let found = try await service.get(target)
            let tag = try #require(found.tag)
            let unchanged = try await service.get(target, ["If-None-Match": tag])
            #expect(unchanged.status == 304)
            #expect(unchanged.octets.isEmpty)
            #expect(unchanged.field("Content-Type") == nil)
            for field in ["ETag", "Cache-Control", "Vary"] as [StaticString] {
                #expect(unchanged.field(field) == found.field(field))
                #expect(found.field(field) != nil)
            }
        }
    }

    @Test func headIsGetWithoutContentOnTheWire() async throws {
        let service = try await TestService("a b c")
        for target in ["/v1/users/u1/layout", "/v1/users/u1/page", "/v1/catalog", "/v1/catalog/revisions", "/livez"] {
            let get = try await service.get(target)
            let head = try await service.send(.head, target)
            #expect(head.status == 200)
            #expect(head.response.omitsContent)
            #expect(!get.response.omitsContent)
            // The encoder counts the content for Content-Length, and leaves it out.
            #expect(head.octets == get.octets)
            #expect(head.tag == get.tag)
        }
        let tag = try #require(try await service.layout().tag)
        #expect(try await service.send(.head, "/v1/users/u1/layout", ["If-None-Match": tag]).status == 304)
        let refused = try await service.send(.head, "/v1/users/u1/layout", ["If-Match": #""9""#])
        #expect(refused.status == 412)
        #expect(refused.response.omitsContent)
    }

    @Test func ifMatchOnAReadIsHeldAgainstTheTag() async throws {
        let service = try await TestService("a b c")
        #expect(try await service.get("/v1/users/u1/layout", ["If-Match": #""1""#]).status == 200)
        #expect(try await service.get("/v1/users/u1/layout", ["If-Match": "*"]).status == 200)
        let reply = try await service.get("/v1/users/u1/layout", ["If-Match": #""9""#])
        #expect(reply.status == 412)
        #expect(reply.favorites == "a b c")
        // If-Match comes before If-None-Match (RFC 9110 §13.2.2).
        let both = try await service.get("/v1/users/u1/layout", ["If-Match": #""9""#, "If-None-Match": #""1""#])
        #expect(both.status == 412)
        #expect(try await service.get("/v1/users/u1/page", ["If-Match": #""9""#]).status == 412)
        #expect(try await service.get("/v1/catalog", ["If-Match": #""9""#]).status == 412)
        #expect(try await service.get("/v1/catalog", ["If-Match": #""1""#]).status == 200)
    }

    @Test func ifNoneMatchWinsOverIfModifiedSince() async throws {
        let service = try await TestService("a b c")
        let date = "Sun, 06 Nov 2050 08:49:37 GMT"
        #expect(
            try await service.get("/v1/users/u1/layout", ["If-None-Match": #""0""#, "If-Modified-Since": date]).status
                == 200)
        #expect(
            try await service.get("/v1/users/u1/layout", ["If-None-Match": #""1""#, "If-Modified-Since": date]).status
                == 304)
        #expect(try await service.get("/v1/users/u1/layout", ["If-Modified-Since": date]).status == 200)
    }

    // MARK: Writing

    @Test(arguments: [
        (#""1""#, 200), ("*", 200), (#""0", "1""#, 200), (#""a,b","1""#, 200), (#"W/"0", "1""#, 200),
        (#""1+gzip""#, 200),
        (#""0""#, 412), (#""9""#, 412), (#""01""#, 412), (#""1-gzip""#, 412), (#""1--gzip""#, 412),
        (#"W/"1""#, 412), (#"W/"1", "9""#, 412),
    ])
    func ifMatchComparesStrongly(value: String, status: Int) async throws {
        for write in [Method.put, .delete, .post] {
            let service = try await TestService("a b c")
            let reply =
                switch write {
                case .put: try await service.put("c b a", ["If-Match": value])
                case .delete: try await service.send(.delete, "/v1/users/u1/layout", ["If-Match": value])
                default: try await service.operations(#"{"op":"move","id":"c","at":{"index":0}}"#, ["If-Match": value])
                }
            #expect(reply.status == status)
            #expect(try await service.layout().version == (status == 200 ? 2 : 1))
            if status == 412 {
                #expect(reply.code == (value.contains("W/") ? "weak_validator" : "precondition_failed"))
                #expect(reply.favorites == "a b c")
                #expect(reply.tag == #""1""#)
                #expect(reply.json["currentVersion"]?.number == 1)
            }
        }
    }

    @Test(arguments: [#""1-gzip""#, #""1--gzip""#, #""1+gzip""#])
    func suffixesOfProxiesAreToleratedWhereTheOperatorSaysSo(value: String) async throws {
        let service = try await TestService("a b c") { $0.toleratesProxyTagSuffixes = true }
        #expect(try await service.get("/v1/users/u1/layout", ["If-None-Match": value]).status == 304)
        #expect(try await service.get("/v1/users/u1/layout", ["If-None-Match": "W/" + value]).status == 304)
        #expect(try await service.put("c b a", ["If-Match": value]).status == 200)
        #expect(try await service.put("a b c", ["If-Match": #""2-br""#]).status == 412)
        #expect(try await service.put("a b c", ["If-Match": #""2-gzip-gzip""#]).status == 412)
    }

    @Test func ifNoneMatchStarOnAWriteFailsForThereAlwaysIsALayout() async throws {
        let service = try await TestService()
        for reply in [
            try await service.put("a", ["If-None-Match": "*"]),
            // The list is the current one already; that excuses a failed If-Match alone.
            try await service.put("", ["If-None-Match": "*"]),
            try await service.put("", ["If-Match": #""7""#, "If-None-Match": "*"]),
            try await service.put("a", ["If-Match": "*", "If-None-Match": "*"]),
            try await service.send(.delete, "/v1/users/u1/layout", ["If-None-Match": "*"]),
            try await service.operations(#"{"op":"add","id":"a"}"#, ["If-None-Match": "*"]),
        ] {
            #expect(reply.status == 412)
            #expect(reply.code == "precondition_failed")
        }
        #expect(try await service.layout().version == 0)
    }

    @Test func ifNoneMatchAloneIsNotTheConditionThatAWholeListNeeds() async throws {
        let service = try await TestService("a b c")
        #expect(try await service.put("c", ["If-None-Match": #""9""#]).status == 428)
        #expect(try await service.put("c", ["If-None-Match": #""1""#]).status == 412)
        #expect(try await service.send(.delete, "/v1/users/u1/layout", ["If-None-Match": #""9""#]).status == 428)
        #expect(try await service.layout().favorites == "a b c")
    }

    @Test func aFirstWriteUsesTheTagThatGetGave() async throws {
        let service = try await TestService(catalog: catalogText(defaults: "a b"))
        let get = try await service.layout()
        #expect(get.favorites == "a b")
        let reply = try await service.put("b a", ["If-Match": try #require(get.tag)])
        #expect(reply.status == 200)
        #expect(reply.version == 1)
        #expect(reply.tag == #""1""#)
    }

    @Test func aWholeWriteWithoutACondition() async throws {
        let service = try await TestService("a b c")
        for reply in [
            try await service.put("c b a"), try await service.send(.delete, "/v1/users/u1/layout"),
            try await service.send(.put, "/v1/catalog", [:], catalogText()),
            try await service.send(.put, "/v1/catalog?validateOnly=true", [:], catalogText()),
            try await service.operations(#"{"op":"move","from":0,"at":{"edge":"last"}}"#),
            try await service.operations(#"{"op":"move","from":0,"at":{"edge":"last"}}"#, ["If-Match": "*"]),
        ] {
            #expect(reply.status == 428)
            #expect(reply.code == "precondition_required")
            #expect(reply.json["current"] == nil)
        }
        #expect(try await service.layout().version == 1)
    }

    @Test func aSlotIsCountedInTheListThatIfMatchNames() async throws {
        let service = try await TestService("a b c")
        let reply = try await service.operations(#"{"op":"move","from":0,"at":{"edge":"last"}}"#, ["If-Match": #""1""#])
        #expect(reply.favorites == "b c a")
        let based = try await service.operations(#"{"op":"move","from":0,"at":{"edge":"last"}}"#, base: 1)
        #expect(based.status == 200)
        #expect(based.outcomes == ["unchanged"])
    }

    @Test func aConditionalWriteThatIsInEffectAlreadyIsAnsweredUnchanged() async throws {
        let service = try await TestService("a b c")
        let reply = try await service.put("a b c", ["If-Match": #""0""#])
        #expect(reply.status == 200)
        #expect(reply.changed == false)
        #expect(reply.tag == #""1""#)
        #expect(try await service.put("a b c", ["If-Match": #"W/"0""#]).code == "weak_validator")
        let new = try await TestService()
        #expect(try await new.send(.delete, "/v1/users/u1/layout", ["If-Match": #""7""#]).changed == false)
    }

    @Test func conditionsHoldOnSubResourcesToo() async throws {
        let service = try await TestService("a b c")
        for (method, function) in [(Method.delete, "a"), (.put, "d")] {
            let target = "/v1/users/u1/layout/favorites/\(function)"
            let stale = try await service.send(method, target, ["If-Match": #""0""#])
            #expect(stale.status == 412)
            #expect(stale.favorites == "a b c")
            #expect(try await service.send(method, target, ["If-Match": #"W/"1""#]).code == "weak_validator")
            #expect(try await service.send(method, target, ["If-None-Match": "*"]).status == 412)
        }
        #expect(
            try await service.send(.delete, "/v1/users/u1/layout/favorites/a", ["If-Match": #""1""#]).tag == #""2""#)
    }

    @Test func theCatalogHasItsRevisionAsTag() async throws {
        let service = try await TestService(catalog: nil)
        let empty = try await service.get("/v1/catalog")
        #expect(empty.tag == #""0""#)
        #expect(try await service.send(.put, "/v1/catalog", ["If-Match": #""1""#], catalogText()).status == 412)
        #expect(try await service.send(.put, "/v1/catalog", ["If-None-Match": "*"], catalogText()).status == 412)
        let published = try await service.send(.put, "/v1/catalog", ["If-Match": #""0""#], catalogText())
        #expect(published.status == 200)
        #expect(published.tag == #""1""#)
        let stale = try await service.send(.put, "/v1/catalog", ["If-Match": #""0""#], catalogText())
        #expect(stale.status == 412)
        #expect(stale.json["current"] == nil)
        #expect(
            try await service.send(.put, "/v1/catalog?validateOnly", ["If-Match": #""0""#], catalogText()).status == 412
        )
        #expect(
            try await service.send(.put, "/v1/catalog", ["If-Match": #"W/"1""#], catalogText()).code == "weak_validator"
        )
    }

    // MARK: What a tag covers

    @Test func theLayoutsTagNamesTheCatalogOnlyWhereHealingMadeTheList() async throws {
        let service = try await TestService("a b c")
        try await service.publish(catalogText(["b": #""status": "retired""#]))
        #expect(try await service.layout().tag == #""1+c2""#)
        #expect(try await service.layout().favorites == "a c")
        // A new title: the list and its tag are as they were, though the catalog in force is another.
        try await service.publish(
            catalogText("a b c", ["b": #""status": "retired""#], titles: ["a": #"{"en": "New"}"#]))
        #expect(try await service.layout().tag == #""1+c3""#)
        try await service.publish(
            catalogText("a b c", ["b": #""status": "retired""#], titles: ["a": #"{"en": "Newer"}"#]))
        let layout = try await service.layout()
        #expect(layout.tag == #""1+c3""#)
        #expect(layout.json["catalogRevision"]?.number == 4)
        #expect(try await service.put("c a", ["If-Match": #""1+c2""#]).status == 412)
        #expect(try await service.put("c a", ["If-Match": #""1+c3""#]).status == 200)
    }

    @Test func aTagOfACodingIsOfThatCoding() async throws {
        let long = (0..<120).map { "function-\($0)" }.joined(separator: " ")
        let service = try await TestService(long, catalog: catalogText(long, limit: 200))
        let coded = try await service.get("/v1/users/u1/layout", ["Accept-Encoding": "gzip"])
        #expect(coded.field("Content-Encoding") == "gzip")
        #expect(coded.tag == #""1+gzip""#)
        #expect(coded.octets.prefix(2) == [0x1F, 0x8B])
        let plain = try await service.layout()
        #expect(plain.field("Content-Encoding") == nil)
        #expect(plain.tag == #""1""#)
        #expect(plain.field("Vary") == "Accept-Encoding")
        #expect(coded.field("Vary") == "Accept-Encoding")
        let unchanged = try await service.get(
            "/v1/users/u1/layout", ["Accept-Encoding": "gzip", "If-None-Match": #""1+gzip""#])
        #expect(unchanged.status == 304)
        #expect(unchanged.tag == #""1+gzip""#)
        #expect(try await service.get("/v1/users/u1/layout", ["If-None-Match": #"W/"1+gzip""#]).tag == #""1+gzip""#)
        #expect(
            try await service.operations(#"{"op":"remove","id":"function-3"}"#, ["If-Match": #""1+gzip""#]).status
                == 200)
    }
}

/// What has no entity tag: a condition on it is answered all the same, and never passed over.
@Suite struct UntaggedResourceTests {
    private static let reads = [
        "/v1/users/u1", "/v1/users/u1/layout/revisions", "/v1/users/u1/layout/events", "/v1/catalog/revisions",
        "/v1/admin/users", "/v1/admin/export", "/v1/admin/log-level",
    ]

    private func service() async throws -> TestService {
        try await TestService("a b") {
            $0.backup = { BackupReport(file: $0, bytes: 1, layouts: 1) }
            $0.logLevel = SteadyLevel()
        }
    }

    @Test(arguments: reads) func noTagNamesWhatIsRead(target: String) async throws {
        let service = try await service()
        for value in ["garbage", "1", #""1"#, ""] {
            let reply = try await service.get(target, ["If-Match": value])
            #expect(reply.status == 400)
            #expect(reply.code == "malformed_validator")
        }
        #expect(try await service.get(target, ["If-None-Match": "garbage"]).status == 400)
        #expect(try await service.get(target, ["If-Match": #""1""#]).status == 412)
        #expect(try await service.get(target, ["If-Match": "*"]).status == 200)
        #expect(try await service.get(target, ["If-None-Match": #""1""#]).status == 200)
    }

    @Test(arguments: [
        (Method.put, "/v1/admin/log-level", #"{"level": "debug"}"#, "application/json", 200),
        (.post, "/v1/admin/backup", #"{"file": "a.db"}"#, "application/json", 201),
        (.post, "/v1/admin/import", "", "application/x-ndjson", 200),
    ])
    func noTagNamesWhatIsWritten(
        method: HTTP1.Method, target: String, content: String, type: String, status: Int
    ) async throws {
        let service = try await service()
        for (field, value, expected) in [
            ("If-Match", "nope", 400), ("If-Match", #""nope""#, 412), ("If-Match", #"W/"nope""#, 412),
            ("If-Match", "*", status), ("If-None-Match", "*", 412), ("If-None-Match", #""nope""#, status),
        ] as [(StaticString, String, Int)] {
            var fields = Fields()
            fields.append(name: "Content-Type", value: type)
            fields.append(name: field, value: value)
            let request = try Request(method, target, fields: fields, content: Array(content.utf8))
            #expect(await service.respond(to: request).status.code == expected, "\(field): \(value)")
        }
    }
}

private struct SteadyLevel: LogLevelControl {
    var level: LogLevel { .info }
    func change(to level: LogLevel) {}
}
