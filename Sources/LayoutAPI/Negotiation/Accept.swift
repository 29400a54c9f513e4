import HTTP1

/// What a client takes, and what of it there is (RFC 9110 §12.5).
enum Accept {
    /// Whether `type` (`application/json`) may be sent: the most specific range decides.
    static func allows(_ type: String, _ fields: Fields) -> Bool {
        switch fields.occurrence(of: "Accept") {
        case .none: return true
        // What nearly every client sends.
        case .once(let range) where range == "*/*" || range.hasSameOctets(as: type): return true
        case .once, .several: break
        }
        let ranges = WeightedElement.all(in: "Accept", of: fields)
        // An empty field says nothing.
        if ranges.isEmpty { return true }
        let family = type.prefix { $0 != "/" } + "/*"
        for name in [type, String(family), "*/*"] {
            if let range = ranges.first(where: { $0.name == name }) { return range.weight > 0 }
        }
        return false
    }

    /// Whether gzip is asked for, by name or by `*`, and no coding at all is not wanted more.
    static func asksForGzip(_ fields: Fields) -> Bool {
        guard fields.contains("Accept-Encoding") else { return false }
        let codings = WeightedElement.all(in: "Accept-Encoding", of: fields)
        let named = codings.first { $0.name == "gzip" || $0.name == "x-gzip" } ?? codings.first { $0.name == "*" }
        let plain = codings.first { $0.name == "identity" }
        guard let weight = named?.weight, weight > 0 else { return false }
        return weight >= plain?.weight ?? 0
    }

    /// The language to use, of those there are: the lookup of RFC 4647 §3.4, range by range from the most wanted.
    static func language(_ fields: Fields, of available: [String], or fallback: String) -> String {
        let ranges = WeightedElement.all(in: "Accept-Language", of: fields).filter { $0.weight > 0 }
        let tags = available.map(LanguageTag.init)
        // Of two languages wanted alike, the first named.
        for range in ranges.enumerated().sorted(by: { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) })
        {
            if let match = LanguageTag.match(of: range.element.name, among: tags) { return match.text }
        }
        return fallback
    }
}

/// A language that there is, ready to be compared.
private struct LanguageTag {
    let text: String
    private let folded: String
    private let primary: Substring

    init(_ text: String) {
        self.text = text
        folded = text.lowercased()
        primary = folded.prefix { $0 != "-" }
    }

    /// RFC 5646 §4.4.1: no tag in use is longer. Each lookup shortens a range subtag by subtag, so a longer one costs time.
    private static let longestRange = (octets: 35, subtags: 8)

    /// - Parameter range: in lower case.
    static func match(of range: String, among tags: [LanguageTag]) -> LanguageTag? {
        guard range.utf8.count <= longestRange.octets else { return nil }
        var subtags = range.split(separator: "-")
        guard let primary = subtags.first, subtags.count <= longestRange.subtags else { return nil }
        while !subtags.isEmpty {
            let tag = subtags.joined(separator: "-")
            if let match = tags.first(where: { $0.folded == tag }) { return match }
            subtags.removeLast()
            // A single letter or digit opens an extension: it goes with what followed it.
            if let last = subtags.last, last.count == 1 { subtags.removeLast() }
        }
        // zh-CN and zh-Hans are written alike; so is a bare zh here, where there is one script only.
        return tags.first { $0.primary == primary }
    }
}
