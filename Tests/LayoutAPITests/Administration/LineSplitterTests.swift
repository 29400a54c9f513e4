import Testing

@testable import LayoutAPI

@Suite struct LineSplitterTests {
    private struct Found: Equatable, CustomStringConvertible {
        var number: Int
        var line: LineSplitter.Line

        init(_ number: Int, _ line: LineSplitter.Line) { (self.number, self.line) = (number, line) }

        var description: String {
            guard case .text(let octets) = line else { return "\(number): too long" }
            return "\(number): \(String(decoding: octets, as: UTF8.self))"
        }
    }

    private func split(_ pieces: [ArraySlice<UInt8>], limit: Int = 4) -> [Found] {
        var splitter = LineSplitter(limit: limit)
        var found: [Found] = []
        for piece in pieces { found += splitter.lines(in: Array(piece)).map { Found($0.number, $0.line) } }
        if let last = splitter.last() { found.append(Found(last.number, last.line)) }
        return found
    }

    private func split(_ text: String) -> [String] { split([Array(text.utf8)[...]]).map(\.description) }

    @Test func emptyLinesAreCountedAndLeftOut() {
        #expect(split("a\n\nb\n") == ["1: a", "3: b"])
        #expect(split("") == [])
        #expect(split("\n\n") == [])
        #expect(split("a\r\n\r\n \t\nb") == ["1: a\r", "4: b"])
    }

    @Test func theLastLineNeedsNoEnd() {
        #expect(split("a\nb") == ["1: a", "2: b"])
    }

    @Test func aLineThatIsTooLongIsSaidOnceAndTheNextIsRead() {
        #expect(split("1234\n12345\n123456789\na") == ["1: 1234", "2: too long", "3: too long", "4: a"])
        #expect(split("12345") == ["1: too long"])
    }

    @Test func theLinesAreTheSameHoweverTheyAreCut() {
        let octets = Array("a\n12345\n\n1234\nbc\n123456".utf8)
        let whole = split([octets[...]])
        #expect(whole.count == 5)
        for first in 0...octets.count {
            for second in first...octets.count {
                #expect(split([octets[..<first], octets[first..<second], octets[second...]]) == whole)
            }
        }
    }
}
