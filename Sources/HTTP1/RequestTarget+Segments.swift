// What a router needs: the path in segments, without allocating, and their text when it wants it.

extension RequestTarget {
    /// The segments of the path: `/v1/users/u1` has `v1`, `users` and `u1`; `/` has one, which is empty; `*` is itself.
    package var segments: Segments { Segments(path: octets[path]) }

    package struct Segments: Sequence, IteratorProtocol {
        private var rest: ArraySlice<UInt8>?

        fileprivate init(path: ArraySlice<UInt8>) {
            rest = path.first == UInt8(ascii: "/") ? path.dropFirst() : path
        }

        package mutating func next() -> ArraySlice<UInt8>? {
            guard let path = rest else { return nil }
            guard let slash = path.firstIndex(of: UInt8(ascii: "/")) else {
                rest = nil
                return path
            }
            rest = path[(slash + 1)...]
            return path[..<slash]
        }
    }

    /// One segment, counted from 0; nil where the path has fewer.
    package func segment(_ number: Int) -> ArraySlice<UInt8>? {
        var (start, left) = (path.lowerBound + 1, number)
        while start <= path.upperBound {
            let end = octets[start..<path.upperBound].firstIndex(of: UInt8(ascii: "/")) ?? path.upperBound
            if left == 0 { return octets[start..<end] }
            (start, left) = (end + 1, left - 1)
        }
        return nil
    }

    /// The path in text, percent-decoded once; nil when that is not UTF-8. For people and logs: `%2F` looks like `/` here.
    package var pathString: String? { octets[path].percentDecoded() }
}

extension ArraySlice<UInt8> {
    private var isEncoded: Bool { span.firstIndex(of: UInt8(ascii: "%"), from: 0, to: count) < count }

    /// Whether this segment, percent-decoded, has the octets of `text`.
    package func decodes(to text: String) -> Bool {
        isEncoded ? PercentDecoding(self).elementsEqual(text.utf8) : hasSameOctets(as: text)
    }

    /// This segment, or part of a query, percent-decoded once; nil when the result is not UTF-8.
    package func percentDecoded() -> String? {
        let decoded = isEncoded ? Array(PercentDecoding(self))[...] : self
        guard let text = try? UTF8Span(validating: decoded.span) else { return nil }
        return String(copying: text)
    }

    /// Whether this segment, percent-decoded, is `text` (RFC 9110 §4.2.3: `%6Civez` is `livez`).
    package func decodes(to text: StaticString) -> Bool {
        self == text
            || isEncoded && text.withUTF8Buffer { PercentDecoding(self).elementsEqual($0) }
    }
}

/// Octets with `%XX` replaced. The parser has checked the digits; an incomplete escape passes as it is.
struct PercentDecoding: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ octets: ArraySlice<UInt8>) {
        rest = octets
    }

    mutating func next() -> UInt8? {
        guard let octet = rest.popFirst() else { return nil }
        guard octet == UInt8(ascii: "%"), rest.count >= 2,
            let high = rest[rest.startIndex].hexValue, let low = rest[rest.startIndex + 1].hexValue
        else { return octet }
        rest = rest.dropFirst(2)
        return high << 4 | low
    }
}
