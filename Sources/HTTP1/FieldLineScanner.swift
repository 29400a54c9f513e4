/// Walks over field lines (RFC 9112 §5), those of a head or of a trailer section, as `RequestLineScanner` does over the
/// request line.
struct FieldLineScanner {
    private enum Place { case lineStart, name, value, lineFeed, sectionEnd }

    enum Found { case nothing, line, sectionEnd }

    private var place = Place.lineStart
    private var mark = 0
    /// Where the name and the value (with the white space around it) of the last line stand.
    private(set) var name = 0..<0
    private(set) var value = 0..<0

    /// The octets before `cursor` are gone: the next ones to be scanned begin there.
    mutating func rebase(to cursor: Int) {
        mark -= cursor
    }

    mutating func scan(
        _ octets: Span<UInt8>, from cursor: inout Int, to end: Int
    ) throws(ProtocolError) -> Found {
        while cursor < end {
            switch place {
            case .lineStart: try startLine(octets, &cursor)
            case .name: try scanName(octets, &cursor, end)
            case .value: try scanValue(octets, &cursor, end)
            case .lineFeed, .sectionEnd:
                guard octets[cursor] == .lf else { throw .bareCarriageReturn }
                cursor += 1
                defer { place = .lineStart }
                return place == .lineFeed ? .line : .sectionEnd
            }
        }
        return .nothing
    }

    private mutating func startLine(_ octets: Span<UInt8>, _ cursor: inout Int) throws(ProtocolError) {
        let octet = octets[cursor]
        // RFC 9112 §5.2: a folded line may be refused; before the first line, white space must be (§2.2).
        guard !octet.isBlank else { throw ProtocolError(.badRequest, "A field line begins with white space") }
        mark = cursor
        if octet == .cr {
            cursor += 1
            place = .sectionEnd
        } else {
            guard OctetSet.token.contains(octet) else { throw .badFieldName }
            place = .name
        }
    }

    private mutating func scanName(
        _ octets: Span<UInt8>, _ cursor: inout Int, _ end: Int
    ) throws(ProtocolError) {
        cursor = octets.firstIndex(notIn: .token, from: cursor, to: end)
        guard cursor < end else { return }
        // RFC 9112 §5.1: white space between name and colon is how requests are smuggled.
        guard octets[cursor] == UInt8(ascii: ":") else { throw .badFieldName }
        name = mark..<cursor
        cursor += 1
        mark = cursor
        place = .value
    }

    private mutating func scanValue(
        _ octets: Span<UInt8>, _ cursor: inout Int, _ end: Int
    ) throws(ProtocolError) {
        cursor = octets.firstControl(from: cursor, to: end)
        guard cursor < end else { return }
        // A bare LF, too, lands here: RFC 9112 §2.2 lets us take it for a line's end, and we had rather not.
        guard octets[cursor] == .cr else { throw ProtocolError(.badRequest, "A field value holds a control character") }
        value = mark..<cursor
        cursor += 1
        place = .lineFeed
    }
}

extension ProtocolError {
    fileprivate static let badFieldName = Self(.badRequest, "A field line is not a name and a colon")
}
