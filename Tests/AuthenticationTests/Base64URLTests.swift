import Testing

@testable import LayoutAPI

@Suite struct Base64URLTests {
    // RFC 4648 §10, without the padding.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func encodesAsTheRFCDoes(octets: String, text: String) {
        #expect(Base64URL.encode(Array(octets.utf8)) == text)
        #expect(Base64URL.decode(Array(text.utf8)) == Array(octets.utf8))
    }

    @Test func usesTheAlphabetForURLs() {
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
        #expect(Base64URL.decode(Array("-_8".utf8)) == [0xFB, 0xFF])
        #expect(Base64URL.decode(Array("+/8".utf8)) == nil)
    }

    /// Of all texts of two and three letters, exactly those that `encode` gives are taken.
    @Test func eachTextIsTheOnlyOneForItsOctets() {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ .\n".utf8)
        var texts: [[UInt8]] = []
        for first in letters {
            for second in letters {
                texts.append([first, second])
                texts += letters.map { [first, second, $0] }
            }
        }
        let taken = texts.compactMap { text in Base64URL.decode(text).map { (text, $0) } }
        #expect(taken.count == 256 + 65_536)
        #expect(taken.allSatisfy { text, octets in Array(Base64URL.encode(octets).utf8) == text })
    }

    @Test(arguments: 0...64) func everyLengthComesBack(length: Int) {
        let octets = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
        #expect(Base64URL.decode(Array(Base64URL.encode(octets).utf8)) == octets)
    }

    @Test(arguments: ["A", "AAAAA", "Zg==", "Zh", "Zm9=", " Zg", "Zg\n", "Z.g"])
    func refusesWhatIsNotCanonical(text: String) { #expect(Base64URL.decode(Array(text.utf8)) == nil) }
}
