import LayoutModel

/// What a token says, once its signature was found right (RFC 7519 §4.1, RFC 9068 §2.2).
struct AccessToken: Sendable {
    let subject: UserID
    let scopes: Scopes
    /// From when until just before when it is taken, leeway included, in milliseconds since 1970.
    let validity: Range<Int64>

    /// What a token has to say to be taken here.
    struct Rules: Sendable {
        var issuer: String
        var audience: String
        /// How far the issuer's clock may be off, in milliseconds.
        var leeway: Int64 = 60_000

        init(issuer: String, audience: String) {
            self.issuer = issuer
            self.audience = audience
        }
    }

    init(_ payload: [UInt8], _ rules: Rules) throws(TokenRefusal) {
        guard case .object(let claims)? = try? JSONReader.read(payload) else { throw .claims }
        // RFC 7519 §4.1.1: compared octet by octet, with no thought of what a URL means.
        guard case .string(let issuer)? = claims[octets: "iss"], issuer.hasSameOctets(as: rules.issuer) else {
            throw .issuer
        }
        guard Self.audiences(in: claims).contains(where: { $0.hasSameOctets(as: rules.audience) }) else {
            throw .audience
        }
        guard case .string(let text)? = claims[octets: "sub"], let subject = UserID(text) else { throw .subject }
        self.subject = subject
        scopes = try Self.scopes(in: claims)
        validity = try Self.validity(in: claims, leeway: rules.leeway)
    }

    /// One text, or several (RFC 7519 §4.1.3). A list that holds anything else is none.
    private static func audiences(in claims: [JSONValue.Member]) -> [String] {
        switch claims[octets: "aud"] {
        case .string(let audience)?: return [audience]
        case .array(let elements)?:
            let audiences = elements.compactMap { if case .string(let audience) = $0 { audience } else { nil } }
            return audiences.count == elements.count ? audiences : []
        default: return []
        }
    }

    /// RFC 8693 §4.2: names with spaces between them. Names that mean nothing here are passed over.
    private static func scopes(in claims: [JSONValue.Member]) throws(TokenRefusal) -> Scopes {
        switch claims[octets: "scope"] {
        case nil: return []
        case .string(let names)?: return Scopes(names)
        default: throw .claims
        }
    }

    private static func validity(in claims: [JSONValue.Member], leeway: Int64) throws(TokenRefusal) -> Range<Int64> {
        guard let expiry = try milliseconds("exp", in: claims) else { throw .claims }
        let notBefore = try milliseconds("nbf", in: claims) ?? 0
        // RFC 7519 §4.1.6 does not say so, but a token from the future has no honest maker.
        let issuedAt = try milliseconds("iat", in: claims) ?? 0
        let start = max(notBefore, issuedAt) - leeway
        return start..<max(start, expiry + leeway)
    }

    /// A NumericDate (RFC 7519 §2): seconds, which may have a fraction, from 1970 to the end of the year 9999.
    private static func milliseconds(
        _ name: StaticString, in claims: [JSONValue.Member]
    ) throws(TokenRefusal) -> Int64? {
        let seconds: Double
        switch claims[octets: name] {
        case nil: return nil
        case .integer(let number)?: seconds = Double(number)
        case .number(let text)?: seconds = Double(text) ?? .nan
        default: throw .claims
        }
        // NaN and the infinities are outside, too.
        guard (0...253_402_300_799).contains(seconds) else { throw .claims }
        return Int64(seconds * 1_000)
    }
}

extension String {
    /// Equal octet by octet, where `==` takes two spellings of a letter for one.
    func hasSameOctets(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
