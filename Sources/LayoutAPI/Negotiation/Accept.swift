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
        // Of two languages wanted alike, the first named.
        for range in ranges.enumerated().sorted(by: { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) })
        {
            var subtags = range.element.name.split(separator: "-")
            while !subtags.isEmpty {
                let tag = subtags.joined(separator: "-")
                if let match = available.first(where: { $0.lowercased() == tag }) { return match }
                subtags.removeLast()
                // A single letter or digit opens an extension: it goes with what followed it.
                if let last = subtags.last, last.count == 1 { subtags.removeLast() }
            }
            // zh-CN and zh-Hans are written alike; so is a bare zh here, where there is one script only.
            if let match = available.first(where: { sharesLanguage($0, range.element.name) }) { return match }
        }
        return fallback
    }

    private static func sharesLanguage(_ tag: String, _ range: String) -> Bool {
        tag.lowercased().split(separator: "-").first == range.split(separator: "-").first
    }
}
