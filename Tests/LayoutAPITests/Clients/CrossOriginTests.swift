import HTTP1
import LayoutAPI
import LayoutTesting
import Testing

private let page = "https://app.example.com"

private func ask(
    _ method: Method, _ target: String, _ fields: KeyValuePairs<StaticString, String>, tag: String? = nil
) async throws -> Reply {
    let service = try await TestService("a b c")
    let origins = try #require(AllowedOrigins("\(page), http://localhost:3000"))
    var lines = Fields()
    for (name, value) in fields { lines.append(name: name, value: value) }
    let request = try Request(method, target, fields: lines)
    let handler = CrossOrigin(service.api, allowing: origins)
    return Reply(await (takenInPieces(request, by: handler) ?? handler.answer(request)).response)
}

/// The answer to a request whose content is taken in pieces, of which there are none; nil for any other.
private func takenInPieces(_ request: Request, by handler: some RequestHandler) -> Answer? {
    guard request.method == .post, case .pieces(let answer) = handler.delivery(for: request) else { return nil }
    return answer(request, NoPieces())
}

private final class NoPieces: ContentReader {
    func read() async throws -> [UInt8]? { nil }
}

struct CrossOriginTests {
    @Test(arguments: [
        "https://app.example.com", "http://localhost:3000", "http://127.0.0.1:8080", "https://[::1]:8443",
        "capacitor://localhost", "https://a.example , https://b.example",
    ])
    func originsAreReadAsBrowsersWriteThem(text: String) {
        #expect(AllowedOrigins(text) != nil)
    }

    @Test(arguments: [
        "", "*", "null", "app.example.com", "https://", "https://app.example.com/", "https://App.example.com",
        "https://a.example:443", "http://a.example:80", "https://a.example,", "https://*.example.com", "//a.example",
        "https://user@a.example", "https://a.example https://b.example", "HTTPS://a.example",
    ])
    func whatNoBrowserWouldSendIsRefused(text: String) {
        #expect(AllowedOrigins(text) == nil)
    }

    @Test(arguments: ["application/x-ndjson", "text/plain"])
    func anAllowedPageReadsTheAnswerToWhatItSendsInPieces(type: String) async throws {
        let reply = try await ask(.post, "/v1/admin/import", ["Origin": page, "Content-Type": type])
        #expect(reply.status == (type == "text/plain" ? 415 : 200))
        #expect(reply.field("Access-Control-Allow-Origin") == page)
    }

    @Test(arguments: ["/v1/users/u1/layout", "/livez", "/readyz", "/nowhere"])
    func anAllowedPageReadsAnswersNowAndLater(path: String) async throws {
        let reply = try await ask(.get, path, ["Origin": page])
        #expect(reply.field("Access-Control-Allow-Origin") == page)
        #expect(reply.response.fields.elements(of: "Vary").contains { $0 == "Origin" })
        let exposed = reply.response.fields.elements(of: "Access-Control-Expose-Headers")
        for field in ["ETag", "Idempotency-Replayed", "Link", "Preference-Applied"] as [StaticString] {
            #expect(exposed.contains { $0.hasSameOctets(as: field.description) }, "\(field)")
        }
        #expect(reply.field("Access-Control-Allow-Credentials") == nil)
    }

    @Test(arguments: [
        nil, "null", "https://evil.example", "https://app.example.com.evil.example", "https://APP.example.com",
    ])
    func nobodyElseDoesAndCachesKnow(origin: String?) async throws {
        let reply = try await ask(.get, "/v1/users/u1/layout", origin.map { ["Origin": $0] } ?? [:])
        #expect(reply.status == 200)
        #expect(reply.field("Access-Control-Allow-Origin") == nil)
        #expect(reply.response.fields.elements(of: "Vary").contains { $0 == "Origin" })
    }

    @Test func aPreflightIsToldTheMethodsOfItsResource() async throws {
        let reply = try await ask(
            .options, "/v1/users/u1/layout", ["Origin": page, "Access-Control-Request-Method": "PUT"])
        #expect(reply.status == 204)
        #expect(reply.field("Access-Control-Allow-Origin") == page)
        #expect(reply.field("Access-Control-Allow-Methods") == reply.field("Allow"))
        #expect(reply.field("Access-Control-Allow-Methods")?.contains("PUT") == true)
        #expect(
            reply.response.fields.elements(of: "Access-Control-Allow-Headers").map {
                String(decoding: $0, as: UTF8.self)
            }
                == [
                    "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID",
                    "Pegboard-Client", "Prefer", "Traceparent", "X-Request-Id",
                ])
        #expect(reply.field("Access-Control-Max-Age") == "7200")
        #expect(reply.field("Access-Control-Expose-Headers") == nil)
    }

    @Test func aPreflightOfAStrangerOrForNothingAllowsNothing() async throws {
        for (path, origin) in [("/v1/users/u1/layout", "https://evil.example"), ("/nowhere", page)] {
            let reply = try await ask(.options, path, ["Origin": origin, "Access-Control-Request-Method": "PUT"])
            #expect(reply.field("Access-Control-Allow-Methods") == nil)
            #expect(reply.field("Access-Control-Allow-Origin") == nil)
        }
    }

    @Test func optionsWithoutAMethodIsNoPreflight() async throws {
        let reply = try await ask(.options, "/v1/users/u1/layout", ["Origin": page])
        #expect(reply.field("Access-Control-Allow-Origin") == page)
        #expect(reply.field("Access-Control-Allow-Methods") == nil)
    }
}
