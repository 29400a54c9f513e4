/// A field section (RFC 9110 §5): an ordered list of lines that may repeat.
///
/// It is kept as the octets of the section (`Name: value\r\n` …) with the place of each line in them: a received section
/// is one copy of the bytes as they came, a sent one goes out in one append, and a value becomes a `String` when asked for.
package struct Fields: Sendable {
    /// The section as it stands on the wire, each line ended by CR LF, without the empty line.
    package private(set) var octets: [UInt8] = []
    package private(set) var lines: [Line] = []
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
        lines.removeAll(keepingCapacity: true)
        names = 0
    }
}

// MARK: Looking up

extension Fields {
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
        guard mayHold(name), let index = lines.firstIndex(where: { isLine($0, named: name) }) else { return .none }
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
        var value = value
        value.withUTF8 { append(name: name, octets: $0) }
    }

    /// As `append(name:value:)`, for a value that is octets already.
    package mutating func append(name: StaticString, octets value: some Collection<UInt8>) {
        name.withUTF8Buffer { buffer in
            precondition(!buffer.isEmpty && buffer.allSatisfy(OctetSet.token.contains), "a field name is a token")
            let start = octets.count
            octets.append(atMost: buffer.count + value.count + 4) { room in
                room.write(buffer)
                room.write(": ")
                for octet in value { room.write(octet.isFieldContent ? octet : .space) }
                room.write("\r\n")
            }
            let trimmed = octets[(start + buffer.count + 2)..<octets.count - 2].trimmed
            lines.append(Line(name: start..<start + buffer.count, value: trimmed.startIndex..<trimmed.endIndex))
            names |= Self.bit(first: buffer[0], count: buffer.count)
        }
    }
}

extension Fields {
    /// Adds the lines of another section as they are: for what many answers have in common.
    package mutating func append(contentsOf other: borrowing Fields) {
        let start = Int32(octets.count)
        octets.append(contentsOf: other.octets)
        names |= other.names
        for line in other.lines {
            lines.append(
                Line(
                    name: line.name.lowerBound + start..<line.name.upperBound + start,
                    value: line.value.lowerBound + start..<line.value.upperBound + start))
        }
    }
}

// MARK: Receiving

extension Fields {
    /// Notes where a line stands in the section that `take(_:)` brings when it is whole.
    ///
    /// - Parameter first: the name's first octet.
    mutating func note(name: Range<Int>, first: UInt8, value: Range<Int>, from sectionStart: Int) {
        lines.append(
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
