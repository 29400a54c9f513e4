import HTTP1
import Locking

/// What tokens are held against.
package struct Credentials: Sendable {
    package var keys: KeySet
    package var adminTokens: AdminTokens

    package init(keys: KeySet = .empty, adminTokens: AdminTokens = .none) {
        self.keys = keys
        self.adminTokens = adminTokens
    }
}

/// Tells from a bearer token who asks: a signed token of a user (RFC 9068), or an admin's.
package final class Authenticator: Sendable {
    private let rules: AccessToken.Rules
    private let clock: @Sendable () -> Int64
    private let inForce: Mutex<InForce>

    /// Credentials with the tokens that were verified by them: when the keys change, all that followed from them goes,
    /// and a verification still under way writes where nobody looks any more.
    private final class InForce: Sendable {
        let credentials: Credentials
        let verified = VerifiedTokens()

        init(_ credentials: Credentials) { self.credentials = credentials }
    }

    /// - Parameters:
    ///   - issuer: what `iss` has to be, octet by octet.
    ///   - audience: what `aud` has to be or to list.
    ///   - clock: milliseconds since 1970.
    package init(
        _ credentials: Credentials, issuer: String, audience: String, clock: @escaping @Sendable () -> Int64
    ) {
        rules = AccessToken.Rules(issuer: issuer, audience: audience)
        self.clock = clock
        inForce = Mutex(InForce(credentials))
    }

    /// From the next request on.
    package func replace(_ credentials: Credentials) {
        let next = InForce(credentials)
        inForce.withLock { $0 = next }
    }

    /// The tokens kept as verified; for tests.
    var verifiedCount: Int { inForce.withLock { $0 }.verified.count }

    func principal(bearing token: ArraySlice<UInt8>) throws(TokenRefusal) -> Principal {
        guard token.count <= CompactJWS.longest else { throw .malformed }
        let inForce = inForce.withLock { $0 }
        let key = VerifiedTokens.Key(token)
        let now = clock()
        if let principal = inForce.verified.principal(for: key, at: now) { return principal }
        if let name = inForce.credentials.adminTokens.name(for: SHA256Digest(of: token)) {
            return Principal(adminNamed: name)
        }
        let accessToken = try verify(token, by: inForce.credentials.keys, at: now)
        let principal = Principal(accessToken)
        inForce.verified.insert(principal, validity: accessToken.validity, for: key)
        return principal
    }

    private func verify(
        _ token: ArraySlice<UInt8>, by keys: KeySet, at now: Int64
    ) throws(TokenRefusal) -> AccessToken {
        let jws = try CompactJWS(token)
        guard let key = keys[jws.header.keyID] else { throw .unknownKey }
        // The key says which algorithm; the token may only agree (RFC 8725 §3.1).
        guard jws.header.algorithm.hasSameOctets(as: key.algorithm.rawValue) else { throw .algorithm }
        guard key.verifies(jws.signature, over: jws.signingInput) else { throw .signature }
        let accessToken = try AccessToken(try jws.payload(), rules)
        guard now < accessToken.validity.upperBound else { throw .expired }
        guard now >= accessToken.validity.lowerBound else { throw .notYetValid }
        return accessToken
    }
}
