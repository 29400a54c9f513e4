import HTTP1
import LayoutAPI
import Testing

/// The pages for people, as a browser gets them. What they do is for `Tests/browser`.
@Suite struct ConsoleTests {
    private static let pages: [(path: String, type: String)] = [
        ("/console", "text/html; charset=utf-8"), ("/docs", "text/html; charset=utf-8"),
        ("/console/console.js", "text/javascript; charset=utf-8"), ("/console/look.css", "text/css; charset=utf-8"),
        ("/console/icons.svg", "image/svg+xml"),
    ]

    @Test(arguments: pages)
    func aPageIsOursAloneAndKnownByItsTag(path: String, type: String) async throws {
        let service = try await TestService(catalog: nil)
        let page = try await service.send(.get, path)
        #expect(page.status == 200)
        #expect(page.field("Content-Type") == type)
        #expect(page.field("Cache-Control") == "no-cache")
        let policy = try #require(page.field("Content-Security-Policy"))
        for part in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"] {
            #expect(policy.contains(part))
        }
        #expect(!policy.contains("unsafe"))

        let tag = try #require(page.tag)
        #expect(tag.hasPrefix("\""))
        let again = try await service.send(.get, path, ["If-None-Match": tag])
        #expect(again.status == 304)
        #expect(again.field("Content-Security-Policy") == policy)
        #expect(try await service.send(.head, path).response.omitsContent)
    }

    @Test func aBrowserGetsItCompressed() async throws {
        let service = try await TestService(catalog: nil)
        let plain = try await service.send(.get, "/console/icons.svg")
        let coded = try await service.send(.get, "/console/icons.svg", ["Accept-Encoding": "gzip, br"])
        #expect(coded.field("Content-Encoding") == "gzip")
        #expect(coded.octets.count * 3 < plain.octets.count)
        #expect(coded.tag != plain.tag)
    }

    @Test(arguments: ["/console/", "/console/nothing.js", "/console/..%2Fconsole.js", "/console/a/b"])
    func whatIsNoFileIsNotFound(path: String) async throws {
        let reply = try await TestService(catalog: nil).send(.get, path)
        #expect(reply.status == 404)
        #expect(reply.code == "not_found")
    }

    @Test func itCanBeTurnedOff() async throws {
        let service = try await TestService { $0.servesConsole = false }
        for (path, _) in Self.pages { #expect(try await service.send(.get, path).status == 404) }
        #expect(try await service.send(.get, "/v1/catalog").status == 200)
    }
}
