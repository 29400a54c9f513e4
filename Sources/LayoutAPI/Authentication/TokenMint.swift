import COpenSSL
package import LayoutModel

/// Makes tokens, for trying things with curl. An identity provider does it in earnest.
package struct TokenMint: Sendable {
    private let secret: [UInt8]
    private let issuer: String
    private let audience: String

    /// - Throws: for a secret that would not be taken for verifying either.
    package init(secret: [UInt8], issuer: String, audience: String) throws(CredentialFault) {
        _ = try VerificationKey.secret(secret)
        self.secret = secret
        self.issuer = issuer
        self.audience = audience
    }

    /// A token signed with HS256, valid from `now` on.
    ///
    /// - Parameters:
    ///   - now: in seconds since 1970, as the lifetime is in seconds.
    package func token(for user: UserID, scope: String, now: Int64, lifetime: Int64) -> String {
        var header = JSONWriter()
        header.object { header in
            header.member("alg", SigningAlgorithm.hs256.rawValue)
            header.member("typ", "at+jwt")
        }
        var claims = JSONWriter()
        claims.object { claims in
            claims.member("iss", issuer)
            claims.member("aud", audience)
            claims.member("sub", user.text)
            claims.member("scope", scope)
            claims.member("iat", now)
            claims.member("exp", now + lifetime)
        }
        let signed = "\(Base64URL.encode(header.octets)).\(Base64URL.encode(claims.octets))"
        let code = Array(signed.utf8).withUnsafeBufferPointer { HMAC.sha256($0, key: secret) }
        return "\(signed).\(Base64URL.encode(code))"
    }

    /// A token that nobody can guess, for an admin: 256 random bits.
    package static func random() -> String {
        var octets = [UInt8](repeating: 0, count: 32)
        precondition(RAND_bytes(&octets, 32) == 1, "OpenSSL has random numbers")
        return Base64URL.encode(octets)
    }
}
