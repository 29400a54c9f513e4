/// The target of a request (RFC 9112 §3.2), checked against its grammar by the parser. Octets, not yet percent-decoded.
package struct RequestTarget: Sendable {
    /// In origin form: the path, and the query where there is one. The path of the asterisk form (`OPTIONS *`) is `*`.
    package private(set) var octets: [UInt8] = []
    private var pathEnd = 0

    package init() {}

    package subscript(range: Range<Int>) -> ArraySlice<UInt8> { octets[range] }

    package var path: Range<Int> { 0..<pathEnd }

    /// What stands behind the first `?`, or nil.
    package var query: Range<Int>? { pathEnd < octets.count ? pathEnd + 1..<octets.count : nil }

    mutating func removeAll() {
        octets.removeAll(keepingCapacity: true)
        pathEnd = 0
    }
}

// MARK: The four forms

extension RequestTarget {
    /// - Throws: 400 when `text` is no target that this method may have.
    package init(_ text: String, for method: Method = .get) throws(ProtocolError) {
        let octets = Array(text.utf8)
        guard octets.allSatisfy(OctetSet.target.contains) else { throw .badTarget }
        try read(octets.span, isPlain: octets.allSatisfy(OctetSet.path.contains), for: method)
    }

    /// Takes a target whose octets are known to be among `OctetSet.target`.
    ///
    /// - Parameter isPlain: whether they are all among `OctetSet.path`: no query, nothing percent-encoded.
    mutating func read(_ target: Span<UInt8>, isPlain: Bool, for method: Method) throws(ProtocolError) {
        guard !target.isEmpty else { throw .badTarget }
        octets.append(target)
        if method == .connect {
            // We are no proxy; and a target in any other form than host:port is wrong (RFC 9112 §3.2.3).
            throw octets.contains(UInt8(ascii: "/"))
                ? .badTarget : ProtocolError(.notImplemented, "CONNECT is not supported")
        }
        if octets[0] == UInt8(ascii: "/") {
            if isPlain { pathEnd = octets.count } else { try split() }
        } else if octets.count == 1, octets[0] == UInt8(ascii: "*"), method == .options {
            pathEnd = 1
        } else {
            try readAbsoluteForm(for: method)
        }
    }

    /// `http://host:port/path?query` (RFC 9112 §3.2.2): what a client sends to a proxy, and may send to us.
    private mutating func readAbsoluteForm(for method: Method) throws(ProtocolError) {
        let authorityStart: Int
        if octets.prefix(7).equalsIgnoringCase("http://") {
            authorityStart = 7
        } else if octets.prefix(8).equalsIgnoringCase("https://") {
            authorityStart = 8
        } else {
            throw .badTarget
        }
        let rest = octets[authorityStart...]
        let authorityEnd = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? octets.endIndex
        guard Authority.isValid(octets.span.extracting(authorityStart..<authorityEnd)) else { throw .badTarget }
        octets.removeSubrange(..<authorityEnd)
        if octets.first != UInt8(ascii: "/") {
            // RFC 9110 §4.2.3: an empty path is `/`; RFC 9112 §3.2.4: for OPTIONS it is the server itself.
            octets.insert(method == .options ? UInt8(ascii: "*") : UInt8(ascii: "/"), at: 0)
        }
        try split()
    }

    private mutating func split() throws(ProtocolError) {
        pathEnd = try Self.end(of: OctetSet.path, in: octets.span, from: 0)
        guard pathEnd < octets.count else { return }
        guard octets[pathEnd] == UInt8(ascii: "?"),
            try Self.end(of: OctetSet.query, in: octets.span, from: pathEnd + 1) == octets.count
        else { throw .badTarget }
    }

    /// Where the first octet outside `set` stands. RFC 3986 §2.1: a `%` is followed by two hexadecimal digits.
    private static func end(
        of set: OctetSet, in octets: Span<UInt8>, from start: Int
    ) throws(ProtocolError) -> Int {
        var index = start
        while true {
            index = octets.firstIndex(notIn: set, from: index, to: octets.count)
            guard index < octets.count, octets[index] == UInt8(ascii: "%") else { return index }
            guard index + 2 < octets.count, octets[index + 1].hexValue != nil, octets[index + 2].hexValue != nil
            else { throw ProtocolError(.badRequest, "A % in the target is not followed by two hexadecimal digits") }
            index += 3
        }
    }
}

extension ProtocolError {
    static let badTarget = Self(.badRequest, "The request target is not well formed")
}
