import HTTP1
import LayoutApplication

/// Reads `If-Match` and `If-None-Match` (RFC 9110 §13.1, §8.8.3). What is not well formed is refused, never ignored: a
/// condition that a client has set must not be lost.
struct EntityTags {
    /// The suffix of the tag of a gzip-coded answer; see `Representation`. A tag in either coding names the same state.
    static let gzipSuffix = "+gzip"

    /// Whether the suffixes that proxies add when they compress (`"7-gzip"`, `"7--gzip"`) are taken off.
    var toleratesProxySuffixes = false

    func precondition(of request: Request) throws -> Precondition {
        Precondition(
            match: try tags(in: "If-Match", of: request), noneMatch: try tags(in: "If-None-Match", of: request))
    }

    /// - Returns: nil where the field is absent.
    func tags(in field: StaticString, of request: Request) throws -> Precondition.TagList? {
        guard request.fields.contains(field) else { return nil }
        var tags: [Precondition.EntityTag] = []
        for value in request.fields.values(of: field) {
            guard var reader = TagReader(value) else { throw Problem.malformedValidator(field) }
            if reader.isStar {
                guard request.fields.values(of: field).count == 1 else { throw Problem.malformedValidator(field) }
                return .any
            }
            while let tag = reader.next() { tags.append(bare(tag)) }
            if reader.failed { throw Problem.malformedValidator(field) }
        }
        guard !tags.isEmpty else { throw Problem.malformedValidator(field) }
        return .tags(tags)
    }

    private func bare(_ tag: Precondition.EntityTag) -> Precondition.EntityTag {
        let suffixes = toleratesProxySuffixes ? [Self.gzipSuffix, "--gzip", "-gzip"] : [Self.gzipSuffix]
        var tag = tag
        if let suffix = suffixes.first(where: tag.opaque.hasSuffix) { tag.opaque.removeLast(suffix.count) }
        return tag
    }
}

/// Walks over one list of entity tags. They know no escapes, and may hold commas.
private struct TagReader {
    private var rest: Substring.UTF8View
    private(set) var failed = false
    let isStar: Bool

    /// - Returns: nil for an empty value.
    init?(_ value: String) {
        guard !value.isEmpty else { return nil }
        isStar = value == "*"
        rest = value[...].utf8
    }

    mutating func next() -> Precondition.EntityTag? {
        while let octet = rest.first, octet == 0x20 || octet == 0x09 || octet == UInt8(ascii: ",") { rest.removeFirst() }
        guard !rest.isEmpty else { return nil }
        let isWeak = rest.starts(with: "W/".utf8)
        if isWeak { rest.removeFirst(2) }
        guard rest.popFirst() == UInt8(ascii: "\""), let end = rest.firstIndex(of: UInt8(ascii: "\"")),
            let opaque = String(rest[..<end]), rest[..<end].allSatisfy(Self.isTagOctet)
        else { return fail() }
        rest = rest[rest.index(after: end)...]
        while let octet = rest.first, octet == 0x20 || octet == 0x09 { rest.removeFirst() }
        guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return fail() }
        return .init(isWeak: isWeak, opaque: opaque)
    }

    private mutating func fail() -> Precondition.EntityTag? {
        failed = true
        return nil
    }

    /// RFC 9110 §8.8.3, etagc: visible characters except the quote, and obs-text.
    private static func isTagOctet(_ octet: UInt8) -> Bool { octet == 0x21 || (0x23...0x7E).contains(octet) || octet >= 0x80 }
}
