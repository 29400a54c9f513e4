import HTTP1
import LayoutApplication

/// Reads `If-Match` and `If-None-Match` (RFC 9110 §13.1, §8.8.3). What is not well formed is refused, never ignored: a
/// condition that a client has set must not be lost.
struct EntityTags {
    /// The suffix of the tag of a gzip-coded answer; see `Representation`. A tag in either coding names the same state.
    static let gzipSuffix = "+gzip"

    /// Whether the suffixes that proxies add when they compress (`"7-gzip"`, `"7--gzip"`) are taken off.
    var toleratesProxySuffixes = false

    /// - Parameter isRequired: whether the request has to have `If-Match`.
    func precondition(of request: Request, isRequired: Bool) throws -> Precondition {
        Precondition(
            match: try tags(in: "If-Match", of: request), noneMatch: try tags(in: "If-None-Match", of: request),
            isRequired: isRequired)
    }

    /// Holds a request's conditions against a resource without an entity tag: no tag names what it is, and `*` names it.
    func checkUntagged(_ request: Request) throws {
        guard request.fields.contains("If-Match") || request.fields.contains("If-None-Match") else { return }
        var precondition = try precondition(of: request, isRequired: false)
        // RFC 9110 §13.1.2: for a read that one only saves the content.
        if request.method == .get || request.method == .head { precondition.noneMatch = nil }
        if let failure = precondition.failure(on: nil) { throw failure }
    }

    /// Holds `If-Match` of a GET or HEAD against the tag in force.
    func checkMatch(of request: Request, on current: String) throws {
        guard request.fields.contains("If-Match") else { return }
        if let failure = Precondition(match: try tags(in: "If-Match", of: request)).failure(on: current) {
            throw failure
        }
    }

    /// In which coding the client has the representation with the tag `current` already; nil where `If-None-Match` is
    /// absent or names others. RFC 9110 §8.8.3.2, weak comparison: `W/"7"` matches `"7"`.
    func coding(of current: String, heldBy request: Request) throws -> ContentCoding? {
        switch try listed(in: "If-None-Match", of: request) {
        case nil: return nil
        case .any: return .identity
        case .tags(let tags):
            guard let match = tags.first(where: { bare($0).opaque == current }) else { return nil }
            return match.opaque.hasSuffix(Self.gzipSuffix) ? .gzip : .identity
        }
    }

    /// - Returns: nil where the field is absent.
    private func tags(in field: StaticString, of request: Request) throws -> Precondition.TagList? {
        switch try listed(in: field, of: request) {
        case .tags(let tags): .tags(tags.map(bare))
        case let other: other
        }
    }

    /// The tags as they came.
    private func listed(in field: StaticString, of request: Request) throws -> Precondition.TagList? {
        let values = request.fields.values(of: field)
        if values.isEmpty { return nil }
        if values == ["*"] { return .any }
        var tags: [Precondition.EntityTag] = []
        for value in values {
            var reader = TagReader(value)
            while let tag = reader.next() { tags.append(tag) }
            if reader.failed { throw Problem.malformedValidator(field) }
        }
        guard !tags.isEmpty else { throw Problem.malformedValidator(field) }
        return .tags(tags)
    }

    /// The tag of the state, whatever coding it was given out in.
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

    init(_ value: String) { rest = value[...].utf8 }

    mutating func next() -> Precondition.EntityTag? {
        while let octet = rest.first, octet == 0x20 || octet == 0x09 || octet == UInt8(ascii: ",") {
            rest.removeFirst()
        }
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
    private static func isTagOctet(_ octet: UInt8) -> Bool {
        octet == 0x21 || (0x23...0x7E).contains(octet) || octet >= 0x80
    }
}
