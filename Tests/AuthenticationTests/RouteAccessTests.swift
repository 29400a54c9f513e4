import HTTP1
import LayoutApplication
import LayoutModel
import Testing

@testable import LayoutAPI

/// A request for each route that succeeds for those who may make it. A route that is added needs its row here.
private struct Row: Sendable, CustomTestStringConvertible {
    let operation: String
    let method: HTTP1.Method
    let target: String
    var fields: [(name: StaticString, value: String)] = []
    var content = ""
    var success = 200

    var testDescription: String { "\(operation): \(method.rawValue) \(target)" }

    static let all = [
        Row(operation: "getLayout", method: .get, target: "/v1/users/alice/layout"),
        Row(
            operation: "putLayout", method: .put, target: "/v1/users/alice/layout", fields: json + anyTag,
            content: #"{"favorites":["pay"]}"#),
        Row(operation: "resetLayout", method: .delete, target: "/v1/users/alice/layout", fields: anyTag),
        Row(
            operation: "applyOperations", method: .post, target: "/v1/users/alice/layout/operations", fields: json,
            content: #"{"operations":[{"op":"add","id":"pay"}]}"#),
        Row(operation: "getPage", method: .get, target: "/v1/users/alice/page"),
        Row(operation: "putFavorite", method: .put, target: "/v1/users/alice/layout/favorites/pay", success: 201),
        Row(operation: "deleteFavorite", method: .delete, target: "/v1/users/alice/layout/favorites/scan"),
        Row(operation: "getDragTargets", method: .get, target: "/v1/users/alice/layout/favorites/scan/targets"),
        Row(operation: "listRevisions", method: .get, target: "/v1/users/alice/layout/revisions"),
        Row(operation: "getRevision", method: .get, target: "/v1/users/alice/layout/revisions/1"),
        Row(
            operation: "revertLayout", method: .post, target: "/v1/users/alice/layout/reversions",
            fields: json + anyTag, content: #"{"toVersion":0}"#),
        Row(operation: "streamEvents", method: .get, target: "/v1/users/alice/layout/events"),
        Row(operation: "lockLayout", method: .put, target: "/v1/users/alice/layout/lock"),
        Row(operation: "unlockLayout", method: .delete, target: "/v1/users/alice/layout/lock"),
        Row(operation: "getUser", method: .get, target: "/v1/users/alice"),
        Row(operation: "eraseUser", method: .delete, target: "/v1/users/alice", success: 204),
        Row(operation: "getCatalog", method: .get, target: "/v1/catalog"),
        Row(
            operation: "publishCatalog", method: .put, target: "/v1/catalog", fields: json + anyTag,
            content: TestAPI.catalog),
        Row(operation: "listCatalogRevisions", method: .get, target: "/v1/catalog/revisions"),
        Row(operation: "getCatalogRevision", method: .get, target: "/v1/catalog/revisions/1"),
        Row(operation: "getStatistics", method: .get, target: "/v1/admin/statistics"),
        Row(operation: "listUsers", method: .get, target: "/v1/admin/users?prefix=a"),
        Row(operation: "exportLayouts", method: .get, target: "/v1/admin/export"),
        Row(
            operation: "importLayouts", method: .post, target: "/v1/admin/import",
            fields: [("Content-Type", "application/x-ndjson")], content: #"{"userId":"alice","favorites":["pay"]}"#),
        Row(
            operation: "makeBackup", method: .post, target: "/v1/admin/backup", fields: json,
            content: #"{"file":"monday.db"}"#, success: 201),
        Row(operation: "getMetrics", method: .get, target: "/metrics"),
        Row(operation: "livez", method: .get, target: "/livez"),
        Row(operation: "readyz", method: .get, target: "/readyz"),
        Row(operation: "healthz", method: .get, target: "/healthz"),
        Row(operation: "getOpenAPI", method: .get, target: "/openapi.json"),
        Row(operation: "getConsole", method: .get, target: "/console"),
        Row(operation: "getConsoleFile", method: .get, target: "/console/console.js"),
        Row(operation: "getDocs", method: .get, target: "/docs"),
    ]

    private static let json: [(name: StaticString, value: String)] = [("Content-Type", "application/json")]
    private static let anyTag: [(name: StaticString, value: String)] = [("If-Match", "*")]
}

/// What a request presents, and what has to become of it on a route of each kind of access.
private enum Presented: String, CaseIterable, Sendable {
    case nothing = "no token"
    case garbage, wrongSignature, algNone, hs256WithPublicKey, expired, notYetValid, wrongIssuer, wrongAudience
    case otherUser, readScope, noScope, catalogScope, ownToken, adminScope, adminToken

    var authorization: [String] { token.map { ["Bearer \($0)"] } ?? [] }

    private var token: String? {
        let issuer = Issuer.shared
        let now = Issuer.now
        return switch self {
        case .nothing: nil
        case .garbage: "garbage"
        case .wrongSignature: issuer.token(header: #"{"alg":"RS256","kid":"r1"}"#, key: issuer.otherRSA)
        case .algNone: issuer.token(header: #"{"alg":"none","kid":"e1"}"#, signature: [])
        case .hs256WithPublicKey:
            issuer.token(header: #"{"alg":"HS256","kid":"r1"}"#) { Code.hs256($0, key: issuer.rsa.publicPEM) }
        case .expired: issuer.token(Claims().with("exp", "\(now - 3_600)"))
        case .notYetValid: issuer.token(Claims().with("nbf", "\(now + 3_600)"))
        case .wrongIssuer: issuer.token(Claims().with("iss", "\"https://b.example\""))
        case .wrongAudience: issuer.token(Claims().with("aud", "\"other\""))
        case .otherUser: issuer.token(Claims().with("sub", "\"bob\""))
        case .readScope: issuer.token(Claims(scope: "layout:read"))
        case .noScope: issuer.token(Claims().with("scope", nil))
        case .catalogScope: issuer.token(Claims(scope: "catalog:write"))
        case .ownToken: issuer.token()
        case .adminScope: issuer.token(Claims(scope: "admin").with("sub", "\"root\""))
        case .adminToken: issuer.adminToken
        }
    }

    /// Status and challenge; nil where the request succeeds.
    func refusal(for access: Route.Access) -> (status: Int, challenge: String?)? {
        if access == .anyone { return nil }
        switch self {
        case .nothing: return (401, "Bearer")
        case .garbage: return Self.invalid(.malformed)
        case .wrongSignature: return Self.invalid(.signature)
        case .algNone, .hs256WithPublicKey: return Self.invalid(.algorithm)
        case .expired: return Self.invalid(.expired)
        case .notYetValid: return Self.invalid(.notYetValid)
        case .wrongIssuer: return Self.invalid(.issuer)
        case .wrongAudience: return Self.invalid(.audience)
        case .adminScope, .adminToken: return nil
        case .otherUser:
            switch access {
            case .reader, .writer: return (403, nil)
            default: return lacking(access)
            }
        case .readScope, .noScope, .catalogScope, .ownToken: return lacking(access)
        }
    }

    private static func invalid(_ refusal: TokenRefusal) -> (Int, String?) {
        (401, "Bearer error=\"invalid_token\", error_description=\"\(refusal.sentence)\"")
    }

    private func lacking(_ access: Route.Access) -> (Int, String?)? {
        let needed: String? =
            switch (access, self) {
            case (.anyone, _), (.anyUser, _), (.reader, .readScope), (.reader, .ownToken), (.writer, .ownToken),
                (.publisher, .catalogScope):
                nil
            case (.reader, _): "layout:read"
            case (.writer, _): "layout:write"
            case (.publisher, _): "catalog:write"
            case (.admin, _): "admin"
            }
        return needed.map { (403, "Bearer error=\"insufficient_scope\", scope=\"\($0)\"") }
    }

    var actor: String {
        switch self {
        case .adminScope: "root"
        case .adminToken: "ops"
        default: "alice"
        }
    }
}

@Suite struct RouteAccessTests {
    @Test func everyRouteHasItsRow() {
        #expect(Routes.all.map(\.operation.description).sorted() == Row.all.map(\.operation).sorted())
    }

    /// The check of ownership reads the third segment of the path.
    @Test func whatReadersAndWritersReachStandsBelowTheirUser() {
        for route in Routes.all {
            let path = route.path.text.description
            let isOwned = route.access == .reader || route.access == .writer
            #expect(isOwned == (path.hasPrefix("/v1/users/{user}") && route.access != .admin), "\(path)")
        }
    }

    @Test(arguments: Row.all, Presented.allCases)
    private func everyRouteRefusesWhoMayNot(row: Row, presented: Presented) async throws {
        let route = try #require(Routes.all.first { $0.operation.description == row.operation })
        let api = try await TestAPI()
        let calls = api.store.calls
        let answer = try await api.answer(
            row.method, row.target, authorization: presented.authorization, fields: row.fields, content: row.content)
        guard let refusal = presented.refusal(for: route.access) else {
            #expect(answer.status == row.success, "\(answer.text)")
            #expect(answer.challenge == nil)
            for change in api.store.changes { #expect(change.actor == presented.actor) }
            return
        }
        #expect(answer.status == refusal.status, "\(answer.text)")
        #expect(answer.challenge == refusal.challenge)
        #expect(api.store.calls == calls, "something was looked up or changed")
    }

    /// RFC 9110 §9.3.2: HEAD is asked for what GET is.
    @Test func headIsRefusedLikeGet() async throws {
        let api = try await TestAPI()
        #expect(try await api.answer(.head, "/v1/users/alice/layout").status == 401)
    }

    @Test func wrongContentOfAStrangerIsNotLookedAt() async throws {
        let api = try await TestAPI()
        let answer = try await api.answer(
            .put, "/v1/users/alice/layout?nonsense=1",
            fields: [("Content-Type", "text/plain"), ("Accept", "image/png")],
            content: "{")
        #expect(answer.status == 401)
    }
}
