import Testing

@testable import HTTP1

@Suite struct OctetsTests {
    @Test func numbersAreWrittenWithAllTheirDigits() {
        var numbers = [0, Int.max, Int.max - 1]
        var power = 1
        for _ in 0..<19 {
            numbers += [power - 1, power, power + 1]
            power = power.multipliedReportingOverflow(by: 10).partialValue
        }
        for number in numbers where number >= 0 {
            var octets: [UInt8] = []
            octets.appendDecimal(number)
            #expect(String(decoding: octets, as: UTF8.self) == "\(number)")
        }
    }

    @Test func digitsHaveZerosInFrontAndTheHighestAreLeftOut() {
        var octets: [UInt8] = Array("a".utf8)
        octets.append(atMost: 32) { room in
            room.write(UInt64(7), digits: 3)
            room.write("|")
            room.write(UInt64(12_345), digits: 4)
            room.write([UInt8]())
            room.write(Array("z".utf8))
        }
        #expect(String(decoding: octets, as: UTF8.self) == "a007|2345z")
    }

    /// Against the obvious way, with a difference at every place: the eight at a time and the rest.
    @Test func equalOctetsAreEqualAtEveryLength() {
        for count in 0...40 {
            let octets = (0..<count).map { UInt8($0 &* 37 & 0xFF) }
            let text = String(repeating: "x", count: count)
            #expect(([9] + octets)[1...].hasSameOctets(as: octets))
            #expect(Array(text.utf8)[...].hasSameOctets(as: text))
            #expect(!(octets + [0])[...].hasSameOctets(as: octets))
            for place in octets.indices {
                var other = octets
                other[place] ^= 0x80
                #expect(!other[...].hasSameOctets(as: octets))
                var letters = Array(text.utf8)
                letters[place] = UInt8(ascii: "y")
                #expect(!letters[...].hasSameOctets(as: text))
            }
        }
    }

    /// At every place of a word and behind it, among octets that differ from it in one bit.
    @Test func anOctetIsFoundWhereItStandsFirst() {
        for octet in [UInt8(0), 0x2F, 0x80, 0xFF] {
            for bit in 0..<8 {
                for place in 0..<20 {
                    var octets = [UInt8](repeating: octet ^ 1 << bit, count: 22)
                    #expect(octets.span.firstIndex(of: octet, from: 1, to: 21) == 21)
                    for later in place..<20 { octets[1 + later] = octet }
                    #expect(octets.span.firstIndex(of: octet, from: 1, to: 21) == 1 + place)
                }
            }
        }
    }

    /// However near the ends it stands.
    @Test func aWordHasTheOctetsThatItWasAskedForAndNoOthers() {
        for total in 0...18 {
            let octets = (0..<total).map { UInt8(0xF0 - $0) }
            for start in 0...total {
                for count in 0...min(8, total - start) {
                    let expected = octets[start..<start + count].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                    #expect(octets.span.word(at: start, count: count) == expected)
                }
            }
        }
    }

    /// Every octet, at every place of what is looked at in one go, and behind it.
    @Test func theFirstControlOfAFieldValueIsFound() {
        for place in 0..<35 {
            for octet in UInt8.min...UInt8.max {
                for filling in [UInt8(0x20), 0x21, 0x7E, 0x80, 0xFF, 0x09] {
                    var octets = [UInt8](repeating: filling, count: 38)
                    octets[1 + place] = octet
                    let isControl = octet < 0x20 && octet != 0x09 || octet == 0x7F
                    #expect(
                        octets.span.firstControl(from: 1, to: 37) == (isControl ? 1 + place : 37),
                        "\(octet) at \(place)")
                }
            }
        }
    }

    /// Every pair of octets, in a word and behind it.
    @Test func lettersOfEitherCaseAreTheSameAndNothingElse() {
        let name: StaticString = "X-Request-Id@[`{9"
        for place in 0..<name.utf8CodeUnitCount {
            for octet in UInt8.min...UInt8.max {
                var octets = name.withUTF8Buffer { Array($0) }
                let (before, swapped) = (octets[place], octets[place] ^ 0x20)
                octets[place] = octet
                let isLetter = Character(UnicodeScalar(before)).isLetter
                #expect(octets[...].equalsIgnoringCase(name) == (octet == before || isLetter && octet == swapped))
            }
        }
    }

    @Test func aSegmentSpellsATextOnceItIsDecoded() {
        func octets(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }
        #expect(octets("alice").decodes(to: "alice"))
        #expect(octets("%61lice").decodes(to: "alice"))
        #expect(octets("%C3%A9").decodes(to: "\u{E9}"))
        #expect(!octets("%C3%A9").decodes(to: "e\u{301}"))
        // Whose name looks like an escape is not who the escape names.
        #expect(!octets("%41").decodes(to: "%41"))
        #expect(octets("%2541").decodes(to: "%41"))
    }
}
