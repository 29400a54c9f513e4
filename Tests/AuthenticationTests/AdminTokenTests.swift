import Testing

@testable import LayoutAPI

@Suite struct AdminTokenTests {
    private func digest(_ token: String) -> SHA256Digest { SHA256Digest(of: Array(token.utf8)) }
    private func line(_ name: String, _ token: String) -> String { "\(name) \(digest(token).hexadecimal)\n" }

    @Test func theDigestIsSHA256() {
        // FIPS 180-4, example of one block.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(digest("abc").hexadecimal == expected)
        #expect(SHA256Digest(hexadecimal: expected) == digest("abc"))
        #expect(SHA256Digest(hexadecimal: expected.uppercased()) == digest("abc"))
        #expect(SHA256Digest(hexadecimal: expected.dropLast()) == nil)
        #expect(SHA256Digest(hexadecimal: expected.dropLast() + "g") == nil)
    }

    @Test func equalityInConstantTimeIsEquality() {
        let base = digest("a")
        #expect(base.isEqualInConstantTime(to: digest("a")))
        for index in 0..<64 {
            var digits = Array(base.hexadecimal.utf8)
            digits[index] = digits[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            let other = SHA256Digest(hexadecimal: String(decoding: digits, as: UTF8.self))!
            #expect(!base.isEqualInConstantTime(to: other))
        }
    }

    @Test func eachLineIsFoundByItsToken() throws {
        let tokens = try AdminTokens(
            Array(("# on duty\n\n" + line("ann", "a") + line("bob", "b") + line("ann", "c")).utf8))
        #expect(tokens.count == 3)
        #expect(tokens.name(for: digest("a")) == "ann")
        #expect(tokens.name(for: digest("b")) == "bob")
        #expect(tokens.name(for: digest("c")) == "ann")
        #expect(tokens.name(for: digest("d")) == nil)
    }

    @Test func aFileWithoutLinesHasNoTokens() throws { #expect(try AdminTokens([]).count == 0) }

    @Test(arguments: [
        "ann", "ann 00", "ann \(String(repeating: "g", count: 64))", "ann b \(String(repeating: "0", count: 64))",
        "\u{1B} x",
    ])
    func otherLinesAreRefusedByNumber(text: String) {
        #expect(throws: CredentialFault("line 2 is not NAME SHA256HEX, as `pegboard token hash` prints it")) {
            try AdminTokens(Array("# first\n\(text)\n".utf8))
        }
    }

    @Test func theSameHashTwiceIsRefused() {
        #expect(throws: CredentialFault("line 2 has the same hash as an earlier line")) {
            try AdminTokens(Array((line("ann", "a") + line("bob", "a")).utf8))
        }
    }

    @Test func aTokenOfTheFileIsAnAdmin() throws {
        let principal = try Issuer.shared.authenticator().principal(bearing: Array(Issuer.shared.adminToken.utf8)[...])
        #expect(principal.user == nil)
        #expect(principal.name == "ops")
        #expect(principal.scopes == .admin)
    }

    @Test func randomTokensAreLongAndDiffer() {
        #expect(TokenMint.random().utf8.count == 43)
        #expect(TokenMint.random() != TokenMint.random())
    }
}
