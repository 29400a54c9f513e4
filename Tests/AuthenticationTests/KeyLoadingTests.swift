import Testing

@testable import LayoutAPI

@Suite struct KeyLoadingTests {
    private let issuer = Issuer.shared

    private func load(
        _ keys: String..., algorithms: Set<SigningAlgorithm> = Set(SigningAlgorithm.allCases)
    ) throws -> JSONWebKeySet {
        try JSONWebKeySet(Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8), algorithms: algorithms)
    }

    private func fault(_ keys: String...) -> String? {
        do throws(CredentialFault) {
            _ = try JSONWebKeySet(
                Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8), algorithms: Set(SigningAlgorithm.allCases))
            return nil
        } catch {
            return error.description
        }
    }

    @Test func takesOneKeyOfEachKind() throws {
        let set = try JSONWebKeySet(Array(issuer.jwks.utf8), algorithms: Set(SigningAlgorithm.allCases))
        #expect(set.keys.map(\.algorithm) == [.rs256, .es256, .edDSA])
        #expect(set.ignored.isEmpty)
    }

    @Test func aKeyVerifiesWhatItSignedAndNothingElse() throws {
        for key in [issuer.rsa, issuer.p256, issuer.ed25519] {
            let verifier = try #require(try load(key.jwk(kid: nil)).keys.first)
            let signature = key.signature(over: "message")
            #expect(verifier.verifies(signature, over: Array("message".utf8)[...]))
            #expect(!verifier.verifies(signature, over: Array("massage".utf8)[...]))
            #expect(!verifier.verifies([], over: Array("message".utf8)[...]))
            #expect(!verifier.verifies(signature + [0], over: Array("message".utf8)[...]))
            for index in signature.indices {
                var changed = signature
                changed[index] ^= 1
                #expect(!verifier.verifies(changed, over: Array("message".utf8)[...]))
            }
        }
    }

    @Test func shortRSAKeysAreRefused() {
        #expect(fault(IssuerKey.rsa(bits: 1_024).jwk(kid: "s"))?.contains("at least 2048 bits") == true)
    }

    @Test func anExponentOfOneIsRefused() {
        let jwk = issuer.rsa.jwk(kid: "s").replacing(#""e":"AQAB""#, with: #""e":"AQ""#)
        #expect(fault(jwk)?.contains("unsound") == true)
    }

    @Test func anEvenModulusIsRefused() {
        let modulus = Base64URL.encode([UInt8](repeating: 0xFE, count: 256))
        #expect(fault(#"{"kty":"RSA","n":"\#(modulus)","e":"AQAB"}"#)?.contains("unsound") == true)
    }

    @Test func aPointOffTheCurveIsRefused() {
        let one = Base64URL.encode([UInt8](repeating: 0, count: 31) + [1])
        #expect(fault(#"{"kty":"EC","crv":"P-256","x":"\#(one)","y":"\#(one)"}"#)?.contains("not on P-256") == true)
        #expect(fault(#"{"kty":"EC","crv":"P-256","x":"AQ","y":"\#(one)"}"#)?.contains("32 bytes") == true)
    }

    @Test func secretsAndPrivateKeysHaveNoPlaceInASet() {
        #expect(fault(#"{"kty":"oct","k":"AAAA"}"#)?.contains("--jwt-secret-file") == true)
        #expect(fault(issuer.p256.jwk(kid: "p", with: [#""d":"AAAA""#]))?.contains("private key") == true)
    }

    @Test func whatIsNotUnderstoodIsPassedOver() throws {
        let set = try load(
            issuer.p256.jwk(kid: "e"), issuer.rsa.jwk(kid: "enc", with: [#""use":"enc""#]),
            issuer.rsa.jwk(kid: "ps", with: [#""alg":"PS256""#]), #"{"kty":"EC","crv":"P-521","kid":"p5"}"#,
            #"{"kty":"AKP"}"#)
        #expect(set.keys.count == 1)
        #expect(
            set.ignored == [
                "key 'enc' is for 'enc'", "key 'ps' is for PS256", "key 'p5' is of an unknown kind",
                "key without kid is of an unknown kind",
            ])
    }

    @Test func algorithmsOutsideTheListAreLeftOut() throws {
        let set = try load(issuer.p256.jwk(kid: "e"), issuer.rsa.jwk(kid: "r"), algorithms: [.es256])
        #expect(set.keys.map(\.algorithm) == [.es256])
        #expect(set.ignored == ["key 'r' is for RS256"])
    }

    @Test func aSetWithoutAUsableKeyIsRefused() {
        #expect(fault()?.contains("it is empty") == true)
        #expect(fault(#"{"kty":"AKP","kid":"x"}"#)?.contains("key 'x' is of an unknown kind") == true)
    }

    @Test(arguments: ["", "{", "[]", #"{"keys":{}}"#, #"{"keys":[1]}"#, #"{"keys":[{}]}"#, #"{"keys":[],"keys":[]}"#])
    func whatIsNoSetIsRefused(text: String) {
        #expect(throws: CredentialFault.self) { try JSONWebKeySet(Array(text.utf8), algorithms: [.rs256]) }
    }

    @Test func twoKeysOfOneNameAreRefused() throws {
        let set = try load(issuer.p256.jwk(kid: "k"), issuer.rsa.jwk(kid: "k"))
        #expect(throws: CredentialFault("two keys have the kid 'k'")) { try KeySet(set.keys) }
    }

    @Test(arguments: [(31, false), (32, true), (64, true)])
    func aSecretHasThirtyTwoBytes(length: Int, isTaken: Bool) {
        #expect(((try? VerificationKey.secret([UInt8](repeating: 7, count: length))) != nil) == isTaken)
    }

    @Test func theLastLineEndOfATextIsNoPartOfASecret() {
        #expect(SecretFile.octets(Array("abc\n".utf8)) == Array("abc".utf8))
        #expect(SecretFile.octets(Array("abc\r\n".utf8)) == Array("abc".utf8))
        #expect(SecretFile.octets(Array("abc\n\n".utf8)) == Array("abc\n".utf8))
        #expect(SecretFile.octets([0xFF, 0x0A]) == [0xFF, 0x0A])
        #expect(SecretFile.octets([]) == [])
    }
}
