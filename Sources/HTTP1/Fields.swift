/// A field section (RFC 9110 §5): an ordered list of lines that may repeat.
///
/// It is kept as the octets of the section (`Name: value\r\n` …): a received one is one copy of the bytes as they came, a sent
/// one goes out in one append, and a value becomes a `String` when asked for.
package struct Fields: Sendable {
    /// The section as it stands on the wire, each line ended by CR LF, without the empty line.
    package private(set) var octets: [UInt8] = []
    /// The place of each line of a section that was received. One that is made here goes out as it is, and where somebody asks
    /// for a line of it, it is looked through.
    private var received: [Line] = []
    /// A bit for each name, by its length and first letter: most of the fields that somebody asks for are not there, and
    /// that is known without a look at the lines.
    private var names: UInt64 = 0

    /// Where one line's name and value (without the white space around it) stand in `octets`.
    package struct Line: Sendable {
        package var name: Range<Int32>
        package var value: Range<Int32>
    }

    package init() {}

    package mutating func removeAll() {
        octets.removeAll(keepingCapacity: true)
        received.removeAll(keepingCapacity: true)
        names = 0
    }
}

// MARK: Looking up

extension Fields {
    package var lines: [Line] { received.isEmpty ? linesLookedUp() : received }

    private func linesLookedUp() -> [Line] {
        var lines: [Line] = []
        var start = 0
        let section = octets.span
        while start < section.count {
            let colon = section.firstIndex(of: UInt8(ascii: ":"), from: start, to: section.count)
            let end = section.firstIndex(of: .cr, from: colon, to: section.count)
            lines.append(Line(name: start..<colon, value: section.trimmed(colon + 1..<end)))
            start = end + 2
        }
        return lines
    }

    package func name(of line: Line) -> ArraySlice<UInt8> {
        octets[Int(line.name.lowerBound)..<Int(line.name.upperBound)]
    }

    package func value(of line: Line) -> ArraySlice<UInt8> {
        octets[Int(line.value.lowerBound)..<Int(line.value.upperBound)]
    }

    package func contains(_ name: StaticString) -> Bool {
        firstLine(named: name) != nil
    }

    /// The value of the first line with this name, as it came: a field value is octets, of which only ASCII is certain.
    package func firstOctets(_ name: StaticString) -> ArraySlice<UInt8>? {
        firstLine(named: name).map(value(of:))
    }

    /// The value of the first line with this name. What is not UTF-8 becomes U+FFFD.
    package func first(_ name: StaticString) -> String? {
        firstOctets(name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The values of all lines with this name, in order.
    package func values(of name: StaticString) -> [String] {
        linesNamed(name).map { String(decoding: value(of: $0), as: UTF8.self) }
    }

    /// What stands under a name that ought to stand once.
    package enum Occurrence {
        case none
        case once(ArraySlice<UInt8>)
        case several
    }

    package func occurrence(of name: StaticString) -> Occurrence {
        guard mayHold(name) else { return .none }
        let lines = lines
        guard let index = lines.firstIndex(where: { isLine($0, named: name) }) else { return .none }
        guard !lines[(index + 1)...].contains(where: { isLine($0, named: name) }) else { return .several }
        return .once(value(of: lines[index]))
    }

    /// All lines with this name, in order. Allocates only where there are some.
    package func linesNamed(_ name: StaticString) -> [Line] {
        mayHold(name) ? lines.filter { isLine($0, named: name) } : []
    }

    private func firstLine(named name: StaticString) -> Line? {
        mayHold(name) ? lines.first { isLine($0, named: name) } : nil
    }

    private func mayHold(_ name: StaticString) -> Bool {
        names & Self.bit(first: name.utf8Start.pointee, count: name.utf8CodeUnitCount) != 0
    }

    private static func bit(first: UInt8, count: Int) -> UInt64 {
        1 &<< UInt64(truncatingIfNeeded: count &+ 5 &* Int(first.lowercased))
    }

    private func isLine(_ line: Line, named name: StaticString) -> Bool {
        line.name.count == name.utf8CodeUnitCount && self.name(of: line).equalsIgnoringCase(name)
    }
}

// MARK: Making

extension Fields {
    /// Adds a line. CR, LF, NUL and the other controls in `value` become spaces: a value never ends its own line.
    package mutating func append(name: StaticString, value: String) {
        append(name: name, octets: value.utf8Span.span)
    }

    /// As `append(name:value:)`, for a value that is octets already.
    package mutating func append(name: StaticString, octets value: Span<UInt8>) {
        name.withUTF8Buffer { buffer in
            assert(!buffer.isEmpty && buffer.allSatisfy(OctetSet.token.contains), "a field name is a token")
            let start = octets.count
            // The fields of most answers, so that the memory grows once.
            if octets.isEmpty { octets.reserveCapacity(192) }
            octets.append(atMost: buffer.count + value.count + 4) { room in
                room.write(buffer)
                room.write(": ")
                if value.firstControl(from: 0, to: value.count) == value.count {
                    value.withUnsafeBufferPointer { room.write($0) }
                } else {
                    for index in value.indices { room.write(value[index].isFieldContent ? value[index] : .space) }
                }
                room.write("\r\n")
            }
            names |= Self.bit(first: buffer[0], count: buffer.count)
            guard !received.isEmpty else { return }
            let value = octets.span.trimmed(start + buffer.count + 2..<octets.count - 2)
            received.append(Line(name: start..<start + buffer.count, value: value))
        }
    }
}

extension Fields {
    /// Adds the lines of another section as they are: for what many answers have in common.
    package mutating func append(contentsOf other: borrowing Fields) {
        octets.append(contentsOf: other.octets)
        names |= other.names
        if !received.isEmpty { received = linesLookedUp() }
    }
}

// MARK: Receiving

extension Fields {
    /// Notes where a line stands in the section that `take(_:)` brings when it is whole.
    ///
    /// - Parameter first: the name's first octet.
    mutating func note(name: Range<Int>, first: UInt8, value: Range<Int>, from sectionStart: Int) {
        received.append(
            Line(
                name: name.lowerBound - sectionStart..<name.upperBound - sectionStart,
                value: value.lowerBound - sectionStart..<value.upperBound - sectionStart))
        names |= Self.bit(first: first, count: name.count)
    }

    mutating func take(_ section: Span<UInt8>) {
        octets.append(section)
    }
}

extension Fields.Line {
    fileprivate init(name: Range<Int>, value: Range<Int>) {
        self.name = Int32(name.lowerBound)..<Int32(name.upperBound)
        self.value = Int32(value.lowerBound)..<Int32(value.upperBound)
    }
}
