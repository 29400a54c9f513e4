import HTTP1
import LayoutApplication
import LayoutModel
import Locking
import Testing

@testable import LayoutAPI

/// How credentials stand in a request, and whose resources they reach.
@Suite struct BearerTests {
    private let own = Issuer.shared.token()
    private let path = "/v1/users/alice/layout"

    private func status(_ target: String, _ authorization: String..., of api: TestAPI) async throws -> Int {
        try await api.answer(.get, target, authorization: authorization).status
    }

    @Test(arguments: ["Bearer", "bearer", "BEARER", "bEaReR"])
    func theSchemeHasNoCase(scheme: String) async throws {
        #expect(try await status(path, "\(scheme) \(own)", of: TestAPI()) == 200)
    }

    @Test func otherSchemesAreNoCredentials() async throws {
        let api = try await TestAPI()
        for value in ["Basic YWxpY2U6cw==", "Digest x", "Bearer\(own)", own, ""] {
            let answer = try await api.answer(.get, path, authorization: [value])
            #expect(answer.status == 401)
            #expect(answer.challenge == "Bearer", "\(value)")
        }
    }

    @Test(arguments: ["Bearer", "Bearer ", "Bearer a b", "Bearer \u{FC}", "Bearer a, Bearer b"])
    func whatIsNoTokenIsAnInvalidOne(value: String) async throws {
        let answer = try await TestAPI().answer(.get, path, authorization: [value])
        #expect(answer.status == 401)
        #expect(answer.challenge?.hasPrefix("Bearer error=\"invalid_token\"") == true)
    }

    @Test func twoFieldsAreRefusedEvenWhenTheyAreTheSame() async throws {
        let answer = try await TestAPI().answer(.get, path, authorization: ["Bearer \(own)", "Bearer \(own)"])
        #expect(answer.status == 400)
        #expect(answer.challenge == nil)
    }

    @Test func aTokenInTheQueryIsNotLookedAt() async throws {
        let answer = try await TestAPI().answer(.get, "\(path)?access_token=\(own)")
        #expect(answer.status == 401)
        #expect(answer.challenge == "Bearer")
    }

    @Test func aUserReachesTheirOwnByNameAndAsMe() async throws {
        let api = try await TestAPI()
        for user in ["alice", "me", "%61lice", "%6de"] {
            #expect(try await status("/v1/users/\(user)/layout", "Bearer \(own)", of: api) == 200, "\(user)")
        }
        for user in ["Alice", "ALICE", "alice%20", "alice%00", "%E9", "Me", "alice,bob", "alic"] {
            #expect(try await status("/v1/users/\(user)/layout", "Bearer \(own)", of: api) == 403, "\(user)")
        }
    }

    /// `String` would take U+00E9 and e with U+0301 for one user.
    @Test func usersAreComparedByBytes() async throws {
        let api = try await TestAPI()
        let token = Issuer.shared.token(Claims().with("sub", "\"\u{E9}\""))
        #expect(try await status("/v1/users/%C3%A9/layout", "Bearer \(token)", of: api) == 200)
        #expect(try await status("/v1/users/e%CC%81/layout", "Bearer \(token)", of: api) == 403)
    }

    /// A name may look like an escape. The path is decoded once, and what it names then counts.
    @Test func aNameThatLooksLikeAnEscapeIsNotWhatTheEscapeNames() async throws {
        let api = try await TestAPI()
        let token = Issuer.shared.token(Claims().with("sub", "\"%41lice\""))
        #expect(try await status("/v1/users/%2541lice/layout", "Bearer \(token)", of: api) == 200)
        #expect(try await status("/v1/users/%41lice/layout", "Bearer \(token)", of: api) == 403)
    }

    @Test func anAdminReachesEveryUserAndHasNoMe() async throws {
        let api = try await TestAPI()
        let admin = "Bearer \(Issuer.shared.adminToken)"
        #expect(try await status("/v1/users/alice/layout", admin, of: api) == 200)
        #expect(try await status("/v1/users/nobody/layout", admin, of: api) == 200)
        #expect(try await status("/v1/users/me/layout", admin, of: api) == 400)
    }

    /// The refusal says the same of a user who is stored and of one who never was.
    @Test func theRefusalTellsNothingOfTheOtherUser() async throws {
        let api = try await TestAPI()
        let admin = ["Bearer \(Issuer.shared.adminToken)"]
        #expect(try await api.answer(.put, "/v1/users/bob/layout/favorites/pay", authorization: admin).status == 201)
        var texts: [String] = []
        for user in ["bob", "eve"] {
            let calls = api.store.calls
            let answer = try await api.answer(.get, "/v1/users/\(user)/layout", authorization: ["Bearer \(own)"])
            #expect(answer.status == 403)
            #expect(answer.text.contains(#""code":"forbidden""#))
            #expect(api.store.calls == calls)
            texts.append(answer.text.replacing("/\(user)/", with: "/USER/"))
        }
        #expect(texts[0] == texts[1])
    }

    @Test func aTokenThatExpiresIsRefusedFromThenOn() async throws {
        let api = try await TestAPI()
        #expect(try await status(path, "Bearer \(own)", of: api) == 200)
        api.clock.advance(by: 3_600)
        #expect(try await status(path, "Bearer \(own)", of: api) == 401)
    }

    /// The leeway's end is a tenth of a second away; the test ends when the stream does.
    @Test(.timeLimit(.minutes(1))) func aStreamEndsWithItsToken() async throws {
        let api = try await TestAPI()
        let token = Issuer.shared.token(Claims().with("exp", "\(Issuer.now - 60).1"))
        let answer = try await api.answer(.get, "\(path)/events", authorization: ["Bearer \(token)"])
        #expect(answer.status == 200)
        guard case .stream(let run) = answer.response.content else {
            Issue.record("no stream")
            return
        }
        let written = Written()
        try await run(written)
        let text = String(decoding: written.octets.withLock { $0 }, as: UTF8.self)
        #expect(text.contains("event: layout\n"))
        #expect(text.split(separator: "\n\n").last?.hasPrefix("retry: ") == true)
    }

    /// With whatever wakes it next.
    @Test(.timeLimit(.minutes(1)), arguments: [Taken.keys, .adminTokens])
    func aStreamEndsWhenItsTokenIsTakenBack(taken: Taken) async throws {
        let api = try await TestAPI()
        let token = taken == .keys ? own : Issuer.shared.adminToken
        let answer = try await api.answer(.get, "\(path)/events", authorization: ["Bearer \(token)"])
        guard case .stream(let run) = answer.response.content else {
            Issue.record("no stream")
            return
        }
        let written = Written()
        var text: String { String(decoding: written.octets.withLock { $0 }, as: UTF8.self) }
        let stream = Task { try await run(written) }
        while !text.contains("event: layout\n") { await Task.yield() }
        var credentials = try Issuer.shared.credentials()
        if taken == .keys { credentials.keys = .empty } else { credentials.adminTokens = .none }
        api.authenticator.replace(credentials)
        api.feed.beat()
        try await stream.value
        #expect(!text.contains(":\n\n"), "no sign of life")
        #expect(text.split(separator: "\n\n").last?.hasPrefix("retry: ") == true)
    }

    enum Taken { case keys, adminTokens }

    /// Less than a second is left of it, and whole ones are waited.
    @Test(.timeLimit(.minutes(1))) func aLongPollIsNoLongerThanItsToken() async throws {
        let api = try await TestAPI()
        let token = ["Bearer \(Issuer.shared.token(Claims().with("exp", "\(Issuer.now - 60).9")))"]
        let tag = try #require(
            try await api.answer(.get, path, authorization: token).response.fields.first("ETag"))
        let answer = try await api.answer(
            .get, path, authorization: token, fields: [("If-None-Match", tag), ("Prefer", "wait=50")])
        #expect(answer.status == 304)
        #expect(answer.response.fields.first("Preference-Applied") == "wait=0")
    }

    @Test(.timeLimit(.minutes(1)), arguments: [Taken.keys, .adminTokens])
    func aLongPollEndsWhenItsTokenIsTakenBack(taken: Taken) async throws {
        let api = try await TestAPI()
        let token = ["Bearer \(taken == .keys ? own : Issuer.shared.adminToken)"]
        let tag = try #require(
            try await api.answer(.get, path, authorization: token).response.fields.first("ETag"))
        async let answer = api.answer(
            .get, path, authorization: token, fields: [("If-None-Match", tag), ("Prefer", "wait=50")])
        while api.feed.count == 0 { await Task.yield() }
        var credentials = try Issuer.shared.credentials()
        if taken == .keys { credentials.keys = .empty } else { credentials.adminTokens = .none }
        api.authenticator.replace(credentials)
        api.feed.beat()
        #expect(try await answer.status == 401)
    }

    @Test(arguments: [Taken.keys, .adminTokens])
    func anExportEndsWhenItsTokenIsTakenBack(taken: Taken) async throws {
        let api = try await TestAPI()
        let token = taken == .keys ? Issuer.shared.token(Claims().with("scope", "\"admin\"")) : Issuer.shared.adminToken
        let answer = try await api.answer(.get, "/v1/admin/export", authorization: ["Bearer \(token)"])
        guard case .stream(let run) = answer.response.content else {
            Issue.record("no stream")
            return
        }
        var credentials = try Issuer.shared.credentials()
        if taken == .keys { credentials.keys = .empty } else { credentials.adminTokens = .none }
        api.authenticator.replace(credentials)
        let written = Written()
        await #expect(throws: (any Error).self) { try await run(written) }
        #expect(written.octets.withLock { $0.isEmpty }, "it is cut, and does not look whole")
    }

    /// What support has frozen its user cannot free by erasing it.
    @Test func aFrozenLayoutIsErasedByAnAdministratorAlone() async throws {
        let api = try await TestAPI()
        let admin = ["Bearer \(Issuer.shared.adminToken)"]
        #expect(try await api.answer(.put, "\(path)/lock", authorization: admin).status == 200)
        let refused = try await api.answer(.delete, "/v1/users/alice", authorization: ["Bearer \(own)"])
        #expect(refused.status == 409)
        #expect(refused.text.contains(#""code":"layout_locked""#))
        #expect(try await api.answer(.delete, "/v1/users/alice", authorization: admin).status == 204)
        #expect(try await api.answer(.delete, "/v1/users/alice", authorization: ["Bearer \(own)"]).status == 204)
    }

    @Test func theLogNamesAdminsAndHidesUsers() async throws {
        let api = try await TestAPI()
        _ = try await status(path, "Bearer \(own)", of: api)
        _ = try await status(path, "Bearer \(Issuer.shared.adminToken)", of: api)
        _ = try await status("/v1/users/bob/layout", "Bearer \(own)", of: api)
        _ = try await status(path, of: api)
        _ = try await status("/livez", "Bearer \(own)", of: api)
        // The first 64 bits of SHA-256 of `alice`.
        #expect(
            api.exchanges.all.map(\.principal) == [
                "user:2bd806c97f0e00af", "admin:ops", "user:2bd806c97f0e00af", "", "",
            ])
    }

    @Test func withoutAuthenticationEverythingIsAllowed() async throws {
        let api = try await TestAPI(authentication: Authentication.none)
        #expect(try await status(path, of: api) == 200)
        #expect(try await status(path, "Bearer nonsense", of: api) == 200)
        #expect(try await status("/v1/users/me/layout", of: api) == 400)
    }
}

/// What a stream wrote.
private final class Written: ContentWriter {
    let octets = Mutex<[UInt8]>([])

    func write(_ bytes: [UInt8]) async throws { octets.withLock { $0 += bytes } }
}
