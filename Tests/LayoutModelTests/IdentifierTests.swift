import LayoutModel
import LayoutTesting
import Testing

@Suite struct IdentifierTests {
    @Test func aFunctionIdIsMadeOfTheUnreservedCharactersAlone() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-".unicodeScalars)
        for value in 0...0x2FF {
            guard let scalar = Unicode.Scalar(value as Int) else { continue }
            #expect((FunctionID(String(scalar)) != nil) == allowed.contains(scalar), "U+\(String(value, radix: 16))")
            #expect((FunctionID("a\(scalar)b") != nil) == allowed.contains(scalar), "U+\(String(value, radix: 16))")
        }
    }

    /// As they stand in a database or a request.
    @Test func octetsMakeTheIdThatTheirTextMakes() {
        for text in ["a", "Scan.2_~-", String(repeating: "z", count: 64), "", "a,b", "a b", "ä", "a\0"] {
            let id = Array(text.utf8).withUnsafeBufferPointer { FunctionID(octets: $0) }
            #expect(id == FunctionID(text))
            #expect(id?.hashValue == FunctionID(text)?.hashValue)
        }
        let halfALetter = [UInt8(ascii: "a"), 0xC3].withUnsafeBufferPointer { FunctionID(octets: $0) }
        #expect(halfALetter == nil)
    }

    @Test("a function id has 1 to 64 characters", arguments: [(0, false), (1, true), (64, true), (65, false)])
    func functionLength(length: Int, isOne: Bool) {
        #expect((FunctionID(String(repeating: "a", count: length)) != nil) == isOne)
    }

    @Test func caseMatters() {
        #expect(FunctionID("Scan") != FunctionID("scan"))
        #expect(UserID("Ann") != UserID("ann"))
    }

    /// "zoë" as one scalar, and as an e with a mark: equal as `String`s, not as ids.
    @Test func nothingIsNormalized() throws {
        let (composed, decomposed) = ("zo\u{EB}", "zoe\u{308}")
        #expect(composed == decomposed)
        let (one, two) = try (#require(UserID(composed)), #require(UserID(decomposed)))
        #expect(one != two)
        #expect(Set([one, two]).count == 2)
        #expect([one: 1, two: 2][one] == 1)
        #expect(Array(one.text.utf8) == Array(composed.utf8))
        #expect(Array(two.text.utf8) == Array(decomposed.utf8))
        #expect(one == UserID(String(decoding: Array(composed.utf8), as: UTF8.self)))
    }

    @Test(
        "a user id has 1 to 128 bytes",
        arguments: [
            ("", false), ("a", true), (String(repeating: "a", count: 128), true),
            (String(repeating: "a", count: 129), false), (String(repeating: "ë", count: 64), true),
            (String(repeating: "ë", count: 64) + "a", false), (String(repeating: "😀", count: 32), true),
            (String(repeating: "😀", count: 33), false),
        ])
    func userLength(text: String, isOne: Bool) {
        #expect((UserID(text) != nil) == isOne)
    }

    @Test func noUserIdHoldsAControlCharacter() {
        for value in 0...0x2FF {
            guard let scalar = Unicode.Scalar(value as Int) else { continue }
            let isControl = value < 0x20 || (0x7F...0x9F).contains(value)
            #expect((UserID("a\(scalar)b") == nil) == isControl, "U+\(String(value, radix: 16))")
        }
    }

    /// It stands for whoever asks. A row of an earlier release is read, and its name can begin another's.
    @Test func nobodyIsCalledMe() {
        for (text, isOne) in [("me", false), ("Me", true), ("mel", true)] { #expect((UserID(text) != nil) == isOne) }
        #expect(UserID(stored: "me") == .me)
        #expect(UserID(stored: "") == nil)
    }

    @Test func aUserIdMayHoldWhatAPathCannot() {
        for text in ["a/b", "a b", "ann@example.com", "%41", "用户", "a?b#c", "..", "\u{200B}"] {
            #expect(UserID(text)?.text == text)
        }
    }
}
