import Testing

@testable import LayoutAPI

private func read(_ text: String) throws -> JSONValue { try JSONReader.read(Array(text.utf8)) }

/// The code with which `octets` are refused; nil where they are taken.
private func refusal(_ octets: [UInt8]) -> ContentFault? {
    do throws(ContentFault) {
        _ = try JSONReader.read(octets)
        return nil
    } catch {
        return error
    }
}

@Suite struct JSONReaderTests {
    @Test(arguments: [
        ("null", JSONValue.null), ("true", .bool(true)), (" \t\r\nfalse ", .bool(false)),
        ("0", .integer(0)), ("-0", .integer(0)), ("-7", .integer(-7)), ("9223372036854775807", .integer(.max)),
        ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number("9223372036854775808")),
        ("1.0", .number("1.0")), ("1e2", .number("1e2")), ("-1.5E+10", .number("-1.5E+10")), ("0e-0", .number("0e-0")),
        ("[]", .array([])), ("[1, [2]]", .array([.integer(1), .array([.integer(2)])])), ("{}", .object([])),
        (#"{"b": 1, "a": {}}"#, .object([.init(name: "b", value: .integer(1)), .init(name: "a", value: .object([]))])),
        (#""""#, .string("")), (#""é😀""#, .string("é😀")), (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")),
        (#""\u00e9\uD83D\uDE00\u0000""#, .string("é😀\0")), (#""\u007f""#, .string("\u{7F}")),
    ])
    func aDocumentIsReadAsItStands(text: String, value: JSONValue) throws {
        #expect(try read(text) == value)
    }

    @Test(arguments: [
        "", " ", "nul", "True", "nullx", "{} {}", "[1],", "1 2", "01", "-", "-01", "+1", ".5", "1.", "1.e2", "1e",
        "1e+", "0x10",
        "NaN", "Infinity", "[1,]", "[,1]", "[1 2]", "{,}", #"{"a":1,}"#, #"{"a" 1}"#, #"{"a":}"#, #"{a:1}"#, #"{1:1}"#,
        "{'a':1}",
        #"["a]"#, #""\x""#, #""\u12""#, #""\u12G4""#, #""\u+123""#, #""\u 123""#, "\"\u{1}\"", "\"\n\"", "\"\t\"",
        #""\uD83D""#, #""\uD83Dx""#, #""\uD83D\n""#, #""\uD83D\u0041""#, #""\uDE00""#, #""\uDE00\uD83D""#,
        #""\uD83D\uD83D""#,
        "/* */1", "\u{FEFF}1", "[1]\0", "}", "]", ":",
    ])
    func whatIsNoDocumentIsRefused(text: String) {
        #expect(refusal(Array(text.utf8))?.code == .invalidJSON)
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0x5C, 0x6E, 0xFF, 0x22], [0xFF], [0xEF, 0xBB, 0xBF, 0x31],
        ] as [[UInt8]])
    func whatIsNotUTF8IsRefused(octets: [UInt8]) {
        #expect(refusal(octets)?.code == .invalidJSON)
    }

    @Test(arguments: [
        (#"{"a":1,"a":1}"#, "/a"), (#"{"a":1,"\u0061":2}"#, "/a"), (#"[{"x":{"a~/":1,"a~/":2}}]"#, "/0/x/a~0~1"),
        (#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"c":1}"#, "/c"),
        (#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"h":1}"#, "/h"),
        (#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"i":1}"#, "/i"),
    ])
    func aNameThatStandsTwiceIsRefusedWithItsPlace(text: String, pointer: String) {
        let fault = refusal(Array(text.utf8))
        #expect(fault?.code == .duplicateField)
        #expect(fault?.pointer == pointer)
    }

    @Test func twoSpellingsOfOneLetterAreTwoNames() throws {
        #expect(try read("{\"\u{E9}\":1,\"e\u{301}\":2}").names.count == 2)
    }

    @Test func sixteenLevelsAreReadAndSeventeenAreNot() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try read(nested(16))
        #expect(refusal(Array(nested(17).utf8))?.code == .invalidJSON)
        #expect(refusal(Array(String(repeating: "[", count: 1_000_000).utf8))?.code == .invalidJSON)
        #expect(refusal(Array(String(repeating: #"{"a":"#, count: 100_000).utf8))?.code == .invalidJSON)
        // Beside each other is not inside each other.
        _ = try read("[" + Array(repeating: "[[]]", count: 100).joined(separator: ",") + "]")
    }

    @Test func aNumberOfAMillionDigitsIsANumber() throws {
        #expect(try read(String(repeating: "9", count: 1_000_000)) == .number(String(repeating: "9", count: 1_000_000)))
    }

    private static let document = """
        {"policy":{"minimum":-1,"limit":11.5e3},"defaults":["scan","p\\u00e9\\uD83D\\uDE00\\n"],"x":[true,false,null,{}],"é":[]}
        """

    @Test func everyPrefixOfADocumentIsRefused() throws {
        let octets = Array(Self.document.utf8)
        _ = try JSONReader.read(octets)
        for end in octets.indices { #expect(refusal(Array(octets[..<end])) != nil, "the first \(end) octets") }
    }

    /// A member's name is named as its value is.
    @Test func everyPlaceHasItsPointer() throws {
        func pointers(of value: JSONValue, at place: String) -> [String] {
            switch value {
            case .array(let elements):
                [place] + elements.enumerated().flatMap { pointers(of: $1, at: "\(place)/\($0)") }
            case .object(let members):
                [place]
                    + members.flatMap { member in
                        let inner = pointer(place, member.name)
                        return [inner] + pointers(of: member.value, at: inner)
                    }
            case .null, .bool, .integer, .number, .string: [place]
            }
        }
        for text in [Self.document, "7", "[[],[{}],[[1],2],3]", #"{"a":{"b":[{"c~":0},{"d":[1]}],"":{}},"e":[]}"#] {
            let document = try JSONReader.document(Array(text.utf8))
            let value = JSONValue(document, at: JSONDocument.root)
            #expect((0..<document.end).map(document.pointer) == pointers(of: value, at: ""))
        }
    }

    @Test func anyOctetInAnyPlaceIsReadOrRefused() {
        let octets = Array(Self.document.utf8)
        for place in octets.indices {
            for octet in [0x00, 0x22, 0x2C, 0x2D, 0x30, 0x5B, 0x5C, 0x75, 0x7B, 0x80, 0xFF] as [UInt8] {
                var changed = octets
                changed[place] = octet
                _ = refusal(changed)
            }
        }
    }

    @Test(arguments: [
        ("", "/"), ("a", "/a"), ("a/b", "/a~1b"), ("~", "/~0"), ("~1", "/~01"), ("/\u{301}", "/~1\u{301}"),
        ("~\u{301}", "/~0\u{301}"),
    ])
    func aPointerEscapesTildeAndSlash(name: String, expected: String) {
        #expect(Array(pointer("", name).utf8) == Array(expected.utf8))
    }
}

@Suite struct JSONWriterTests {
    private static let document = JSONValue.object([
        .init(name: "text", value: .string("\"\\/\u{0}\u{1F}\u{7F}é😀\u{2028}\r\n")),
        .init(
            name: "na\"me",
            value: .array([.integer(.min), .integer(.max), .bool(true), .null, .array([]), .object([])])),
        .init(name: "braces", value: .array([.string("{"), .string("["), .string(":"), .string(",")])),
        .init(name: "", value: .object([.init(name: ":", value: .string("")), .init(name: "b", value: .bool(false))])),
    ])

    @Test func whatIsWrittenIsReadAgain() throws {
        var writer = JSONWriter()
        write(Self.document, to: &writer)
        #expect(try JSONReader.read(writer.octets) == Self.document)
    }

    /// Every octet of ASCII at every place of a word: what is looked for eight at a time is found wherever it stands.
    @Test func whatHasToBeEscapedIsFoundAnywhere() throws {
        for place in 0..<17 {
            for octet in UInt8(0)..<0x80 {
                var text = Array("é not a plain text".utf8)
                text[2 + place] = octet
                let wanted = String(decoding: text, as: UTF8.self)
                var writer = JSONWriter()
                writer.object { json in
                    json.member("a", wanted)
                    json.name(wanted)
                    json.string(wanted)
                }
                let read = try JSONReader.read(writer.octets)
                #expect(
                    read
                        == .object([
                            .init(name: "a", value: .string(wanted)), .init(name: wanted, value: .string(wanted)),
                        ]))
            }
        }
    }

    @Test func linesStandOnTheirOwn() {
        var writer = JSONWriter()
        for number in [1, -2] {
            writer.object { $0.member("a", number) }
            writer.endLine()
        }
        #expect(String(decoding: writer.octets, as: UTF8.self) == "{\"a\":1}\n{\"a\":-2}\n")
    }

    @Test func nothingIsWrittenThatNeedNotBe() {
        var writer = JSONWriter()
        writer.object { json in
            json.member("a", 1)
            json.name("b")
            json.array(["x", "y/é"]) { $0.string($1) }
            json.name("c")
            json.raw(#"{"d":null}"#.utf8)
            json.member("e", "")
        }
        #expect(String(decoding: writer.octets, as: UTF8.self) == #"{"a":1,"b":["x","y/é"],"c":{"d":null},"e":""}"#)
    }

    private func write(_ value: JSONValue, to writer: inout JSONWriter) {
        switch value {
        case .null: writer.null()
        case .bool(let bool): writer.bool(bool)
        case .integer(let integer): writer.integer(integer)
        case .number(let text): writer.raw(text.utf8)
        case .string(let text): writer.string(text)
        case .array(let elements): writer.array(elements) { write($1, to: &$0) }
        case .object(let members):
            writer.object { json in
                for member in members {
                    json.name(member.name)
                    write(member.value, to: &json)
                }
            }
        }
    }
}

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"), (978_307_199_000, "2000-12-31T23:59:59.000Z"),
            (1_078_012_800_000, "2004-02-29T00:00:00.000Z"), (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (1_772_323_200_000, "2026-03-01T00:00:00.000Z"), (1_796_026_530_250, "2026-11-30T08:15:30.250Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (4_107_456_000_000, "2100-02-28T00:00:00.000Z"),
            (-2_208_988_800_000, "1900-01-01T00:00:00.000Z"), (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func aMomentIsWrittenInUTCWithMilliseconds(milliseconds: Int64, text: String) {
        #expect(rfc3339(milliseconds) == text)
    }
}
