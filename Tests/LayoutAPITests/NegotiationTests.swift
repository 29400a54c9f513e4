import HTTP1
import Testing

@testable import LayoutAPI

@Suite struct NegotiationTests {
    private let body = #"{"op":"add","id":"d"}"#

    @Test(arguments: [
        ("application/json", 200), ("APPLICATION/JSON", 200), ("application/json; charset=utf-8", 200),
        ("application/json ;a=b", 200),
        ("application/x-www-form-urlencoded", 415), ("text/plain", 415), ("application/problem+json", 415),
        ("application/jsonx", 415),
        ("application / json", 415), ("", 415), (";", 415), ("application/json, application/json", 415),
    ])
    func contentIsJSON(type: String, status: Int) async throws {
        let service = try await TestService("a b c")
        let reply = try await service.operations(body, ["Content-Type": type])
        #expect(reply.status == status)
        if status == 415 {
            #expect(reply.code == "unsupported_media_type")
            #expect(reply.field("Accept") == "application/json")
        }
    }

    @Test func contentIsJSONInOneLineAndNotCoded() async throws {
        let service = try await TestService("a b c")
        #expect(
            try await service.operations(
                body, ["Content-Type": "application/json", "Content-Type": "application/json"]
            ).status == 415)
        let coded = try await service.operations(body, ["Content-Encoding": "gzip"])
        #expect(coded.status == 415)
        #expect(coded.field("Accept-Encoding") == "identity")
        #expect(coded.field("Accept") == "application/json")
        #expect(try await service.operations(body, ["Content-Encoding": "gzip, identity"]).status == 415)
        #expect(try await service.operations(body, ["Content-Encoding": "identity"]).status == 200)
    }

    /// What a browser's EventSource asks for is all that it asks for.
    @Test(arguments: [("text/event-stream", 200), ("text/*", 200), ("*/*", 200), ("application/json", 406)])
    func eventsAreAskedForByTheirType(accept: String, status: Int) async throws {
        let service = try await TestService("a b c")
        #expect(try await service.send(.head, "/v1/users/u1/layout/events", ["Accept": accept]).status == status)
    }

    /// Where it would be passed over in silence, and where it never means anything (RFC 9110 §9.3.1, §9.3.5).
    @Test func contentIsRefusedWhereNoneIsTaken() async throws {
        let service = try await TestService("a b c")
        for type in ["text/plain", "application/json"] {
            let reply = try await service.send(.put, "/v1/users/u1/layout/lock", ["Content-Type": type], #"{"x": 1}"#)
            #expect(reply.status == 415)
            #expect(reply.code == "unsupported_media_type")
            #expect(reply.json["detail"]?.text?.hasSuffix("Send it without any.") == true)
        }
        #expect(try await service.layout().layout["locked"]?.bool == false)
        #expect(try await service.send(.put, "/v1/users/u1/layout/lock").status == 200)
        #expect(try await service.send(.delete, "/v1/users/u1/layout/lock", [:], #"{"x": 1}"#).status == 200)
        #expect(try await service.send(.get, "/v1/users/u1/layout", [:], #"{"x": 1}"#).status == 200)
    }

    @Test func aRequestWithoutContentNeedsNoType() async throws {
        let service = try await TestService("a b c")
        #expect(
            try await service.send(.put, "/v1/users/u1/layout/favorites/d", ["Content-Type": "text/plain"]).status
                == 201)
        let empty = try await service.send(.post, "/v1/users/u1/layout/operations")
        #expect(empty.status == 400)
        #expect(empty.code == "invalid_json")
        #expect(empty.json["detail"]?.text == "The request has no content. Send a JSON document with it.")
    }

    @Test(arguments: [
        ("*/*", 200), ("application/json", 200), ("application/*", 200), ("APPLICATION/Json", 200), ("", 200),
        ("text/html, */*;q=0.1", 200),
        ("application/json;q=0.001", 200), ("application/json;version=2", 200), ("text/html, application/*", 200),
        ("application/json;q=0, application/json", 406),
        ("text/html", 406), ("application/xml, text/*", 406), ("application/json;q=0", 406), ("*/*;q=0", 406),
        ("application/json;q=0, */*", 406),
        ("application/problem+json", 406), (";q=1", 200), ("text/html;q=x", 200),
    ])
    func acceptIsRefusedOnlyWhereItRulesOutAllThereIs(value: String, status: Int) async throws {
        let service = try await TestService("a b c")
        let reply = try await service.get("/v1/users/u1/layout", ["Accept": value])
        #expect(reply.status == status)
        if status == 406 { #expect(reply.code == "not_acceptable") }
        #expect(try await service.get("/livez", ["Accept": value]).status == 200)
    }

    @Test(arguments: [
        ("gzip", true), ("x-gzip", true), ("deflate, gzip;q=0.5", true), ("*", true), ("GZIP;Q=1", true),
        ("gzip;q=1.000", true), ("identity, gzip", true),
        ("", false), ("br", false), ("gzip;q=0", false), ("*;q=0", false), ("gzip;q=0, *", false),
        ("identity;q=1, gzip;q=0.5", false), ("gzip;q=2", false),
        ("gzip;q=1.0000", false), ("gzip;q=0.1234", false), ("gzip;q=", false), ("gzip;q=-1", false),
        ("gzip;q=1.5", false),
    ])
    func gzipIsGivenWhereItIsAskedFor(value: String, isAsked: Bool) {
        var fields = Fields()
        fields.append(name: "Accept-Encoding", value: value)
        #expect(Accept.asksForGzip(fields) == isAsked)
    }

    @Test(arguments: [
        ("", "en"), ("de", "de"), ("DE-at", "de"), ("fr", "en"), ("fr, de;q=0.5", "de"),
        ("de;q=0.1, zh-Hans;q=0.2", "zh-Hans"), ("zh", "zh-Hans"),
        ("zh-CN", "zh-Hans"), ("zh-Hans-CN", "zh-Hans"), ("zh-Hans-x-private", "zh-Hans"), ("*", "en"),
        ("*, de;q=0.1", "de"), ("de;q=0", "en"),
        ("de, zh-Hans", "de"), ("zh-Hans, de", "zh-Hans"), ("de-x", "de"), ("-", "en"), ("de-", "de"), ("x-de", "en"),
        ("de;q=9", "en"), (",;,", "en"),
        // RFC 5646 §4.4.1: longer ones are in no use, and would cost the square of their length.
        ("de-a1-a2-a3-a4-a5-a6-a7", "de"), ("de-a1-a2-a3-a4-a5-a6-a7-a8", "en"),
        ("de-\(String(repeating: "a", count: 32))", "de"), ("de-\(String(repeating: "a", count: 33))", "en"),
        ("de-\(String(repeating: "a1-", count: 5_000)), zh", "zh-Hans"),
    ])
    func theLanguageIsLookedUpRangeByRange(value: String, language: String) {
        var fields = Fields()
        fields.append(name: "Accept-Language", value: value)
        #expect(Accept.language(fields, of: ["en", "de", "zh-Hans"], or: "en") == language)
    }
}
