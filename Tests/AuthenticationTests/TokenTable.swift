import Testing

@testable import LayoutAPI

/// The tokens that a verifier is tried with: 11 that it has to take and 63 that it has to refuse, of which common
/// libraries let some through.
enum TokenTable {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let token: String
        /// nil for a token that is taken.
        let refusal: TokenRefusal?

        var testDescription: String { name }
    }

    static let rows: [Row] =
        goodOnes + algorithms + keys + headers + signatures + forms + times + audiences + subjects + types

    private static let issuer = Issuer.shared
    private static let now = Issuer.now
    private static let good = issuer.token()
    private static let goodParts = good.split(separator: ".").map(String.init)
    private static let header = goodParts[0]
    private static let payload = goodParts[1]
    private static let signature = goodParts[2]

    private static func taken(_ name: String, _ token: String) -> Row { Row(name: name, token: token, refusal: nil) }

    private static func refused(_ refusal: TokenRefusal, _ name: String, _ token: String) -> Row {
        Row(name: name, token: token, refusal: refusal)
    }

    /// Good but for one claim.
    private static func claiming(_ name: String, _ json: String?) -> String { issuer.token(Claims().with(name, json)) }

    /// Good but for the header, signed with the P-256 key or another.
    private static func headed(_ header: String, _ key: IssuerKey? = nil) -> String {
        issuer.token(header: header, key: key)
    }

    /// Good claims under a signature of no octets.
    private static func unsigned(_ header: String) -> String { issuer.token(header: header, signature: []) }

    /// A good header and a right signature over a payload that is none.
    private static func paying(_ payload: [UInt8]) -> String { issuer.token(header: header, payload: payload) }

    private static let goodOnes = [
        taken("ES256, right key", good),
        taken("aud array that contains us", claiming("aud", #"["x","layouts"]"#)),
        taken("exp in 60 s", claiming("exp", "\(now + 60)")),
        taken("exp a float NumericDate", claiming("exp", "\(now + 600).5")),
        taken("unknown private claim", claiming("foo", #"{"a":[1]}"#)),
        taken("unknown header member (not crit)", headed(#"{"alg":"ES256","typ":"at+jwt","kid":"e1","foo":1}"#)),
        taken("RS256 token, RSA key, kid r1", headed(#"{"alg":"RS256","typ":"at+jwt","kid":"r1"}"#, issuer.rsa)),
    ]

    private static let algorithms = [
        refused(.algorithm, "alg none, empty signature", unsigned(#"{"alg":"none","typ":"at+jwt"}"#)),
        refused(.algorithm, "alg nOnE", unsigned(#"{"alg":"nOnE"}"#)),
        refused(.algorithm, "alg missing", unsigned(#"{"typ":"at+jwt"}"#)),
        refused(.algorithm, "alg a number", unsigned(#"{"alg":5}"#)),
        refused(
            .algorithm, "HS256 keyed with the RSA public key PEM",
            issuer.token(header: #"{"alg":"HS256","kid":"r1"}"#) { Code.hs256($0, key: issuer.rsa.publicPEM) }),
        refused(
            .algorithm, "HS256 keyed with the EC public key PEM",
            issuer.token(header: #"{"alg":"HS256","typ":"at+jwt","kid":"e1"}"#) {
                Code.hs256($0, key: issuer.p256.publicPEM)
            }),
        refused(
            .algorithm, "HS256 with empty key",
            issuer.token(header: #"{"alg":"HS256","typ":"at+jwt","kid":"e1"}"#) { Code.hs256($0, key: []) }),
        refused(
            .algorithm, "alg outside the list (HS512)",
            issuer.token(header: #"{"alg":"HS512","typ":"at+jwt","kid":"e1"}"#) { Code.hs512($0, key: issuer.secret) }),
    ]

    private static let keys = [
        refused(.algorithm, "kid of the RSA key, alg ES256", headed(#"{"alg":"ES256","typ":"at+jwt","kid":"r1"}"#)),
        refused(
            .algorithm, "kid of the EC key, alg RS256",
            headed(#"{"alg":"RS256","typ":"at+jwt","kid":"e1"}"#, issuer.rsa)),
        refused(.unknownKey, "unknown kid", headed(#"{"alg":"ES256","typ":"at+jwt","kid":"zz"}"#)),
        refused(.unknownKey, "kid ../../dev/null", headed(#"{"alg":"ES256","typ":"at+jwt","kid":"../../dev/null"}"#)),
        refused(.unknownKey, "kid with SQL", headed(#"{"alg":"ES256","typ":"at+jwt","kid":"e1' or 1=1--"}"#)),
        refused(.signature, "wrong key", headed(#"{"alg":"RS256","kid":"r1"}"#, issuer.otherRSA)),
        refused(
            .signature, "embedded jwk of the attacker",
            headed(#"{"alg":"RS256","kid":"r1","jwk":\#(issuer.otherRSA.jwk(kid: nil))}"#, issuer.otherRSA)),
        refused(
            .signature, "jku to a foreign host",
            headed(#"{"alg":"RS256","kid":"r1","jku":"http://127.0.0.1:1/x"}"#, issuer.otherRSA)),
    ]

    private static let headers = [
        refused(
            .critical, "crit with an unknown name",
            headed(#"{"alg":"ES256","typ":"at+jwt","kid":"e1","crit":["exp2"],"exp2":1}"#)),
        refused(.critical, "crit empty list", headed(#"{"alg":"ES256","typ":"at+jwt","kid":"e1","crit":[]}"#)),
        refused(
            .critical, "b64 false", headed(#"{"alg":"ES256","typ":"at+jwt","kid":"e1","b64":false,"crit":["b64"]}"#)),
    ]

    private static let signatures = [
        refused(
            .signature, "payload changed",
            "\(header).\(Base64URL.encode(Claims().with("sub", "\"bob\"").json)).\(signature)"),
        refused(
            .type, "header changed",
            "\(Base64URL.encode(Array(#"{"alg":"ES256","typ":"JWT","kid":"e1"}"#.utf8))).\(payload).\(signature)"),
        refused(.signature, "signature empty", "\(header).\(payload)."),
        refused(.signature, "signature one byte short", "\(header).\(payload).\(signature.dropLast(2))"),
        refused(.signature, "ES256 r=s=0", issuer.token(signature: [UInt8](repeating: 0, count: 64))),
        refused(
            .signature, "ES256 DER signature",
            issuer.token(signature: issuer.p256.rawSignature(over: "\(header).\(payload)"))),
    ]

    private static let forms = [
        refused(.malformed, "two segments", "\(header).\(payload)"),
        refused(.malformed, "four segments", "\(good).x"),
        refused(.malformed, "empty string", ""),
        refused(.malformed, "five segments (JWE)", "a.b.c.d.e"),
        refused(.malformed, "base64 padding =", "\(good)=="),
        refused(.signature, "white space inside", "\(header). \(payload).\(signature)"),
        refused(
            .malformed, "not canonical base64 (last bits set)",
            "\(header).\(payload).\(signature.dropLast())\(lastBitSet)"),
        refused(.claims, "payload not JSON", paying(Array("hi".utf8))),
        refused(.claims, "payload a JSON array", paying(Array("[1]".utf8))),
        refused(.claims, "payload not UTF-8", paying(Array(#"{"sub":""#.utf8) + [0xFF] + Array(#""}"#.utf8))),
        refused(.claims, "duplicate claim sub", issuer.token(Claims().adding("sub", "\"admin\""))),
        refused(
            .malformed, "payload nested 10 000 deep",
            paying([UInt8](repeating: 0x5B, count: 10_000) + [UInt8](repeating: 0x5D, count: 10_000))),
        refused(.malformed, "token of 100 kB", claiming("foo", "\"\(String(repeating: "x", count: 100_000))\"")),
    ]

    /// 64 octets leave four bits over in the last of 86 characters: A, Q, g or w. The next letter has one of them set.
    private static var lastBitSet: String { ["A": "B", "Q": "R", "g": "h", "w": "x"][String(signature.last!)]! }

    private static let times = [
        refused(.expired, "expired 1 h ago", claiming("exp", "\(now - 3_600)")),
        refused(.expired, "expired just past the leeway (61 s)", claiming("exp", "\(now - 61)")),
        taken("expired inside the leeway (30 s)", claiming("exp", "\(now - 30)")),
        refused(.claims, "exp missing", claiming("exp", nil)),
        refused(.claims, "exp a string", claiming("exp", "\"\(now + 600)\"")),
        refused(.claims, "exp null", claiming("exp", "null")),
        refused(.claims, "exp 1e400", claiming("exp", "1e400")),
        refused(.claims, "exp negative", claiming("exp", "-1")),
        refused(.notYetValid, "nbf in 1 h", claiming("nbf", "\(now + 3_600)")),
        taken("nbf inside the leeway (30 s)", claiming("nbf", "\(now + 30)")),
        refused(.notYetValid, "iat in 1 h", claiming("iat", "\(now + 3_600)")),
    ]

    private static let audiences = [
        refused(.audience, "aud missing", claiming("aud", nil)),
        refused(.audience, "aud of another service", claiming("aud", "\"other\"")),
        refused(.audience, "aud array without us", claiming("aud", #"["a","b"]"#)),
        refused(.audience, "aud empty array", claiming("aud", "[]")),
        refused(.audience, "aud a prefix of ours", claiming("aud", "\"layout\"")),
        refused(.issuer, "iss missing", claiming("iss", nil)),
        refused(.issuer, "iss with trailing slash", claiming("iss", "\"https://id.example/\"")),
        refused(.issuer, "iss upper case", claiming("iss", "\"HTTPS://ID.EXAMPLE\"")),
        refused(.issuer, "key of issuer A, iss of issuer B", claiming("iss", "\"https://b.example\"")),
    ]

    private static let subjects = [
        refused(.subject, "sub missing", claiming("sub", nil)),
        refused(.subject, "sub empty", claiming("sub", "\"\"")),
        refused(.subject, "sub me", claiming("sub", "\"me\"")),
        refused(.subject, "sub a number", claiming("sub", "7")),
        refused(.subject, "sub of 4 kB", claiming("sub", "\"\(String(repeating: "a", count: 4_096))\"")),
    ]

    private static let types = [
        refused(.type, "typ JWT where at+jwt is required", headed(#"{"alg":"ES256","typ":"JWT","kid":"e1"}"#)),
        refused(.type, "typ id token", headed(#"{"alg":"ES256","typ":"id+jwt","kid":"e1"}"#)),
        taken("typ AT+JWT (case does not matter)", headed(#"{"alg":"ES256","typ":"AT+JWT","kid":"e1"}"#)),
        taken("typ application/at+jwt", headed(#"{"alg":"ES256","typ":"application/at+jwt","kid":"e1"}"#)),
    ]
}
