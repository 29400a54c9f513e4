import HTTP1
import LayoutAPI
import Testing

private func limited(perUser: String? = nil, perAddress: String? = nil) async throws -> TestService {
    try await TestService {
        $0.rateLimiter = RateLimiter(
            perUser: perUser.flatMap { RateLimit($0) }, perAddress: perAddress.flatMap { RateLimit($0) })
    }
}

extension TestService {
    /// One GET from this peer, so many seconds after the tests have begun.
    fileprivate func ask(_ target: String, from peer: String = "192.0.2.1", at seconds: Int = 0) async throws -> Reply {
        var request = try Request(.get, target)
        request.peer = peer
        request.received = Instant(nanoseconds: Int64(1 + seconds) * 1_000_000_000)
        return Reply(await respond(to: request))
    }
}

struct RateLimiterTests {
    @Test func aUserHasTheirLimitWhicheverResourceOfTheirsIsAskedFor() async throws {
        let service = try await limited(perUser: "1/s:2")
        let first = try await service.ask("/v1/users/u1/layout")
        #expect(first.status == 200)
        #expect(first.field("RateLimit-Policy") == #""user";q=2;w=2"#)
        #expect(first.field("RateLimit") == #""user";r=1;t=1"#)
        #expect(try await service.ask("/v1/users/u1/page").field("RateLimit") == #""user";r=0;t=2"#)
        let refused = try await service.ask("/v1/users/%75%31/layout", from: "192.0.2.9")
        #expect(refused.status == 429)
        #expect(refused.code == "rate_limited")
        #expect(refused.field("Retry-After") == "1")
        #expect(refused.field("RateLimit") == #""user";r=0;t=2"#)
        #expect(refused.response.fields.values(of: "RateLimit-Policy") == [#""user";q=2;w=2"#])
        #expect(try await service.ask("/v1/users/u2/layout").status == 200)
        #expect(try await service.ask("/v1/users/u1/layout", at: 1).status == 200)
    }

    @Test func anAddressHasItsLimitWhoeverItAsksFor() async throws {
        let service = try await limited(perAddress: "60/m:1")
        #expect(try await service.ask("/v1/users/u1/layout").field("RateLimit") == #""address";r=0;t=1"#)
        #expect(try await service.ask("/v1/users/u2/layout").status == 429)
        #expect(try await service.ask("/v1/catalog").status == 429)
        #expect(try await service.ask("/v1/users/u2/layout", from: "2001:db8::1").status == 200)
        #expect(try await service.ask("/v1/users/u3/layout", from: "2001:db8::2").status == 429)
        #expect(try await service.ask("/v1/users/u2/layout", from: "").status == 200, "a Unix socket has no address")
        #expect(try await service.ask("/v1/users/u2/layout", from: "").status == 200)
    }

    @Test func bothLimitsAreTold() async throws {
        let service = try await limited(perUser: "10/s", perAddress: "100/s")
        let reply = try await service.ask("/v1/users/u1/layout")
        #expect(reply.field("RateLimit-Policy") == #""user";q=10;w=1, "address";q=100;w=1"#)
        #expect(reply.field("RateLimit") == #""user";r=9;t=1, "address";r=99;t=1"#)
    }

    @Test func refusalsOfLimitedResourcesTellWhatIsLeft() async throws {
        let service = try await limited(perUser: "1/m:9")
        let reply = try await service.send(.put, "/v1/users/u1/layout", [:], "{}")
        #expect(reply.status >= 400 && reply.status != 429)
        #expect(reply.field("RateLimit")?.hasPrefix(#""user";r=8;"#) == true)
    }

    @Test func probesAndWhatDoesNotExistHaveNoLimit() async throws {
        let service = try await limited(perUser: "1/h:1", perAddress: "1/h:1")
        for _ in 0..<3 {
            for path in ["/livez", "/readyz", "/healthz", "/nowhere"] {
                let reply = try await service.ask(path)
                #expect(reply.status != 429)
                #expect(reply.field("RateLimit") == nil)
            }
        }
    }

    @Test func whatIsRefusedIsLogged() async throws {
        let service = try await limited(perUser: "1/h")
        for _ in 0..<2 { _ = try await service.ask("/v1/users/u1/layout") }
        #expect(service.exchanges.map(\.status).suffix(2) == [200, 429])
    }

    @Test func withoutALimitThereIsNoLimiter() {
        #expect(RateLimiter(perUser: nil, perAddress: nil) == nil)
    }
}
