/// Walks over a request line (RFC 9112 §3) from left to right, as far as it is there, and judges each octet once. So the
/// verdict depends on the octets alone and not on how they were cut, and what is no HTTP is refused at its first octet.
struct RequestLineScanner {
    private enum Place { case start, emptyLine, method, target, version, lineFeed }

    private var place = Place.start
    private var mark = 0
    private(set) var method = 0..<0
    private(set) var target = 0..<0
    /// Whether the target is nothing but a path, of octets that stand for themselves.
    private(set) var hasPlainTarget = true
    private(set) var version = Request.Version.http11

    /// The length of `HTTP/1.1`.
    private static let versionLength = 8
    /// `HTTP/1.1`, its first octet lowest.
    private static let http11: UInt64 = 0x312e_312f_5054_5448

    /// - Returns: whether the line is complete; `cursor` then stands behind it, else at `end`.
    mutating func scan(
        _ octets: Span<UInt8>, from cursor: inout Int, to end: Int, limits: Limits
    ) throws(ProtocolError) -> Bool {
        while cursor < end {
            switch place {
            case .start:
                // RFC 9112 §2.2: one empty line before the request line is skipped.
                place = octets[cursor] == .cr && cursor == 0 ? .emptyLine : .method
                if place == .emptyLine { cursor += 1 }
                mark = cursor
            case .emptyLine:
                guard octets[cursor] == .lf else { throw .bareCarriageReturn }
                cursor += 1
                place = .start
            case .method: try scanMethod(octets, &cursor, end)
            case .target: try scanTarget(octets, &cursor, end, limit: limits.target)
            case .version: try scanVersion(octets, &cursor, end)
            case .lineFeed:
                guard octets[cursor] == .lf else { throw .bareCarriageReturn }
                cursor += 1
                return true
            }
        }
        return false
    }

    private mutating func scanMethod(
        _ octets: Span<UInt8>, _ cursor: inout Int, _ end: Int
    ) throws(ProtocolError) {
        cursor = octets.firstIndex(notIn: .token, from: cursor, to: min(end, mark + Limits.method + 1))
        if cursor - mark > Limits.method { throw ProtocolError(.notImplemented, "The method is too long") }
        guard cursor < end else { return }
        guard octets[cursor] == .space, cursor > mark else {
            throw ProtocolError(.badRequest, "The request does not begin with a method and a space")
        }
        method = mark..<cursor
        cursor += 1
        mark = cursor
        place = .target
    }

    private mutating func scanTarget(
        _ octets: Span<UInt8>, _ cursor: inout Int, _ end: Int, limit: Int
    ) throws(ProtocolError) {
        let stop = min(end, mark + limit + 1)
        if hasPlainTarget {
            cursor = octets.firstIndex(notIn: .path, from: cursor, to: stop)
            hasPlainTarget = cursor == stop || octets[cursor] == .space
        }
        if !hasPlainTarget { cursor = octets.firstIndex(notIn: .target, from: cursor, to: stop) }
        if cursor - mark > limit {
            throw ProtocolError(.uriTooLong, "The request target has too many octets", limit: limit)
        }
        guard cursor < end else { return }
        guard octets[cursor] == .space, cursor > mark else { throw .badTarget }
        target = mark..<cursor
        cursor += 1
        mark = cursor
        place = .version
    }

    /// `HTTP/` DIGIT `.` DIGIT (RFC 9112 §2.3), in capital letters.
    private mutating func scanVersion(
        _ octets: Span<UInt8>, _ cursor: inout Int, _ end: Int
    ) throws(ProtocolError) {
        // What nearly everybody sends, in one look.
        if cursor == mark, end - cursor > Self.versionLength, octets.word(at: cursor) == Self.http11,
            octets[cursor + Self.versionLength] == .cr
        {
            cursor += Self.versionLength + 1
            place = .lineFeed
            return
        }
        let octet = octets[cursor]
        let fits =
            switch cursor - mark {
            case 0: octet == UInt8(ascii: "H")
            case 1, 2: octet == UInt8(ascii: "T")
            case 3: octet == UInt8(ascii: "P")
            case 4: octet == UInt8(ascii: "/")
            case 5, 7: octet.isDigit
            case 6: octet == UInt8(ascii: ".")
            default: octet == .cr
            }
        guard fits else { throw ProtocolError(.badRequest, "The request line does not end in HTTP/1.1") }
        if cursor - mark == Self.versionLength {
            guard octets[mark + 5] == UInt8(ascii: "1") else {
                throw ProtocolError(.versionNotSupported, "Only HTTP/1.1 and HTTP/1.0 are spoken here")
            }
            // RFC 9110 §2.5: a higher minor version is answered as the highest we know.
            version = octets[mark + 7] == UInt8(ascii: "0") ? .http10 : .http11
            place = .lineFeed
        }
        cursor += 1
    }
}

extension ProtocolError {
    /// RFC 9112 §2.2 lets a recipient replace a bare CR by a space, or refuse it. Others may read it as a line's end.
    static let bareCarriageReturn = Self(.badRequest, "A CR is not followed by LF")
}
