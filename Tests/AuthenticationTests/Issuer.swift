import Locking

@testable import LayoutAPI

/// An issuer of tokens with one key of each kind, and a server that trusts it.
struct Issuer: Sendable {
    static let name = "https://id.example"
    static let audience = "layouts"
    /// The clock of every test: 2026-01-01T00:00:00Z, in seconds.
    static let now = 1_767_225_600

    // Making RSA keys takes long; one issuer serves all tests.
    static let shared = Issuer()

    let rsa = IssuerKey.rsa()
    let otherRSA = IssuerKey.rsa()
    let p256 = IssuerKey.p256()
    let ed25519 = IssuerKey.ed25519()
    let secret = Array("0123456789abcdef0123456789abcdef".utf8)
    let adminToken = "Zk3bV9pQ2xT7mN4cR8wY1uL6sD0fG5hJaEiOoPqKtXy"

    var jwks: String {
        "{\"keys\":[\(rsa.jwk(kid: "r1")),\(p256.jwk(kid: "e1", with: ["\"use\":\"sig\"", "\"alg\":\"ES256\""])),"
            + "\(ed25519.jwk(kid: "d1"))]}"
    }

    /// The line of an admin called `ops`.
    var adminFile: String { "# people\n\nops \(SHA256Digest(of: Array(adminToken.utf8)).hexadecimal)\n" }

    func credentials() throws -> Credentials {
        let set = try JSONWebKeySet(Array(jwks.utf8), algorithms: Set(SigningAlgorithm.allCases))
        return Credentials(
            keys: try KeySet(set.keys + [try .secret(secret)]), adminTokens: try AdminTokens(Array(adminFile.utf8)))
    }

    func authenticator(clock: @escaping @Sendable () -> Int64 = { Int64(now) * 1_000 }) throws -> Authenticator {
        Authenticator(try credentials(), issuer: Self.name, audience: Self.audience, clock: clock)
    }

    /// A token whose parts are given as they are.
    func token(
        _ claims: Claims = Claims(), header: String = Self.header, key: IssuerKey? = nil, signature: [UInt8]? = nil
    ) -> String {
        token(header: Base64URL.encode(Array(header.utf8)), payload: claims.json, key: key, signature: signature)
    }

    /// A token whose header is encoded already.
    func token(header: String, payload: [UInt8], key: IssuerKey? = nil, signature: [UInt8]? = nil) -> String {
        let signed = "\(header).\(Base64URL.encode(payload))"
        return "\(signed).\(Base64URL.encode(signature ?? (key ?? p256).signature(over: signed)))"
    }

    /// A token with a code in place of a signature.
    func token(_ claims: Claims = Claims(), header: String, code: (String) -> [UInt8]) -> String {
        let signed = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(claims.json))"
        return "\(signed).\(Base64URL.encode(code(signed)))"
    }

    static let header = #"{"alg":"ES256","typ":"at+jwt","kid":"e1"}"#
}

/// The claims of a good token, each as JSON text, and ways to spoil them.
struct Claims {
    private var members: [(name: String, json: String)]

    init(scope: String = "layout:read layout:write") {
        let now = Issuer.now
        members = [
            ("iss", "\"\(Issuer.name)\""), ("aud", "\"\(Issuer.audience)\""), ("sub", "\"alice\""),
            ("exp", "\(now + 600)"), ("iat", "\(now)"), ("nbf", "\(now - 5)"), ("scope", "\"\(scope)\""),
        ]
    }

    /// With a claim put in the place of the one of that name, or taken out.
    func with(_ name: String, _ json: String?) -> Claims {
        var copy = self
        if let index = members.firstIndex(where: { $0.name == name }) {
            if let json { copy.members[index].json = json } else { copy.members.remove(at: index) }
        } else if let json {
            copy.members.append((name, json))
        }
        return copy
    }

    /// With a claim behind the others, whether or not there is one of that name.
    func adding(_ name: String, _ json: String) -> Claims {
        var copy = self
        copy.members.append((name, json))
        return copy
    }

    var json: [UInt8] { Array("{\(members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}".utf8) }
}

/// A clock that a test sets.
final class TestClock: Sendable {
    private let seconds = Mutex(Issuer.now)

    func advance(by seconds: Int) { self.seconds.withLock { $0 += seconds } }
    func milliseconds() -> Int64 { seconds.withLock { Int64($0) * 1_000 } }
}
