import LayoutModel
import Testing

@testable import LayoutAPI

@Suite struct AuthenticatorTests {
    private let issuer = Issuer.shared
    private let clock = TestClock()

    private func authenticator() throws -> Authenticator {
        let clock = clock
        return try issuer.authenticator(clock: { clock.milliseconds() })
    }

    private func refusal(of token: String, by authenticator: Authenticator) -> TokenRefusal? {
        do throws(TokenRefusal) {
            _ = try authenticator.principal(bearing: Array(token.utf8)[...])
            return nil
        } catch {
            return error
        }
    }

    @Test func hs256AndEdDSAAreTakenWithTheirKeys() throws {
        let authenticator = try authenticator()
        let mint = try TokenMint(secret: issuer.secret, issuer: Issuer.name, audience: Issuer.audience)
        let minted = mint.token(for: UserID("bob")!, scope: "layout:read admin", now: Int64(Issuer.now), lifetime: 60)
        let bob = try authenticator.principal(bearing: Array(minted.utf8)[...])
        #expect(bob.user == UserID("bob"))
        #expect(bob.scopes == [.readLayout, .admin])
        #expect(bob.validUntil == Int64(Issuer.now + 120) * 1_000)
        let signed = issuer.token(header: #"{"alg":"EdDSA","kid":"d1"}"#, key: issuer.ed25519)
        #expect(refusal(of: signed, by: authenticator) == nil)
    }

    @Test func theLeewayEndsToTheSecond() throws {
        let authenticator = try authenticator()
        #expect(refusal(of: issuer.token(Claims().with("exp", "\(Issuer.now - 59)")), by: authenticator) == nil)
        #expect(refusal(of: issuer.token(Claims().with("exp", "\(Issuer.now - 60)")), by: authenticator) == .expired)
        #expect(refusal(of: issuer.token(Claims().with("nbf", "\(Issuer.now + 60)")), by: authenticator) == nil)
        #expect(
            refusal(of: issuer.token(Claims().with("nbf", "\(Issuer.now + 61)")), by: authenticator) == .notYetValid)
    }

    @Test func aKeptTokenExpires() throws {
        let authenticator = try authenticator()
        let token = issuer.token()
        #expect(refusal(of: token, by: authenticator) == nil)
        clock.advance(by: 659)
        #expect(refusal(of: token, by: authenticator) == nil)
        #expect(authenticator.verifiedCount == 1)
        clock.advance(by: 1)
        #expect(refusal(of: token, by: authenticator) == .expired)
    }

    @Test func aKeptTokenIsNotValidBeforeItsTimeWhenTheClockIsSetBack() throws {
        let authenticator = try authenticator()
        let token = issuer.token()
        #expect(refusal(of: token, by: authenticator) == nil)
        clock.advance(by: -61)
        #expect(refusal(of: token, by: authenticator) == .notYetValid)
    }

    @Test func otherKeysForgetWhatTheOldOnesVerified() throws {
        let authenticator = try authenticator()
        let token = issuer.token()
        #expect(refusal(of: token, by: authenticator) == nil)
        let other = try JSONWebKeySet(Array("{\"keys\":[\(issuer.rsa.jwk(kid: "r1"))]}".utf8), algorithms: [.rs256])
        authenticator.replace(Credentials(keys: try KeySet(other.keys)))
        #expect(authenticator.verifiedCount == 0)
        #expect(refusal(of: token, by: authenticator) == .unknownKey)
        #expect(refusal(of: issuer.adminToken, by: authenticator) == .malformed)
    }

    @Test func aTokenIsKeptAsAWhole() throws {
        let authenticator = try authenticator()
        let token = issuer.token()
        #expect(refusal(of: token, by: authenticator) == nil)
        let parts = token.split(separator: ".")
        let forged = Base64URL.encode(Claims().with("sub", "\"bob\"").json)
        #expect(refusal(of: "\(parts[0]).\(forged).\(parts[2])", by: authenticator) == .signature)
    }

    @Test func namesOfTheTokenAreComparedByBytes() throws {
        let authenticator = try authenticator()
        // U+212A is canonically K, and é has two spellings: `String` takes each for the same text.
        let composed = try authenticator.principal(
            bearing: Array(issuer.token(Claims().with("sub", "\"\u{E9}\"")).utf8)[...])
        #expect(composed.user == UserID("\u{E9}"))
        #expect(composed.user != UserID("e\u{301}"))
    }

    @Test func theNumberOfKeptTokensIsBounded() {
        let kept = VerifiedTokens(capacity: 160)
        for number in 0..<5_000 {
            let key = VerifiedTokens.Key(Array("token \(number)".utf8)[...])
            kept.insert(.anyone, validity: 0..<10, for: key)
            #expect(kept.principal(for: key, at: 5) != nil)
            #expect(kept.principal(for: key, at: 10) == nil)
        }
        #expect(kept.count <= 160)
    }

    @Test func aTokenInUseIsNotForgotten() {
        let kept = VerifiedTokens(capacity: 160)
        let used = VerifiedTokens.Key(Array("used".utf8)[...])
        kept.insert(.anyone, validity: 0..<10, for: used)
        for number in 0..<5_000 {
            kept.insert(.anyone, validity: 0..<10, for: .init(Array("token \(number)".utf8)[...]))
            #expect(kept.principal(for: used, at: 5) != nil)
        }
    }

    /// They are found by the end of the signature: a token that ends like a good one is another token all the same.
    @Test func aTokenWithTheEndOfAKnownOneIsNotThatOne() {
        let kept = VerifiedTokens()
        let signature = String(repeating: "s", count: 43)
        kept.insert(.anyone, validity: 0..<10, for: .init(Array("head.alice.\(signature)".utf8)[...]))
        #expect(kept.principal(for: .init(Array("head.alice.\(signature)".utf8)[...]), at: 5) != nil)
        for other in ["head.mallo.\(signature)", "head.alic.\(signature)", "x.head.alice.\(signature)", signature, ""] {
            #expect(kept.principal(for: .init(Array(other.utf8)[...]), at: 5) == nil)
        }
        // And the one it is not stays.
        #expect(kept.principal(for: .init(Array("head.alice.\(signature)".utf8)[...]), at: 5) != nil)
    }
}
