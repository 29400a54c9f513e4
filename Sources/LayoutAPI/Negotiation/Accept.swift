import HTTP1

/// What a client takes, weighed (RFC 9110 §12.4.2, §12.5).
struct WeightedElement {
    /// In lower case, without parameters.
    var name: String
    /// 0–1000.
    var weight: Int

    /// The elements of a field such as `Accept`, without those that are not well formed.
    static func all(in field: StaticString, of fields: Fields) -> [WeightedElement] {
        fields.elements(of: field).compactMap { element in
            let parts = element.split(separator: UInt8(ascii: ";")).map {
                String(decoding: $0, as: UTF8.self).filter { $0 != " " && $0 != "\t" }.lowercased()
            }
            guard let name = parts.first else { return nil }
            guard let q = parts.dropFirst().first(where: { $0.hasPrefix("q=") }) else {
                return WeightedElement(name: name, weight: 1_000)
            }
            return weight(q.dropFirst(2)).map { WeightedElement(name: name, weight: $0) }
        }
    }

    /// RFC 9110 §12.4.2: 0 to 1 with at most three decimals.
    private static func weight(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, whole == "0" || whole == "1", parts.count <= 2 else { return nil }
        let decimals = parts.count == 2 ? parts[1] : ""
        guard decimals.count <= 3, decimals.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let weight = (Int(whole) ?? 0) * 1_000 + (Int(decimals + String(repeating: "0", count: 3 - decimals.count)) ?? 0)
        return weight <= 1_000 ? weight : nil
    }
}

enum Accept {
    /// Whether `type` (`application/json`) may be sent: the most specific range decides.
    static func allows(_ type: String, _ fields: Fields) -> Bool {
        guard fields.contains("Accept") else { return true }
        let ranges = WeightedElement.all(in: "Accept", of: fields)
        // An empty field says nothing.
        if ranges.isEmpty { return true }
        let family = type.prefix { $0 != "/" } + "/*"
        for name in [type, String(family), "*/*"] {
            if let range = ranges.first(where: { $0.name == name }) { return range.weight > 0 }
        }
        return false
    }

    /// Whether gzip is asked for, by name or by `*`.
    static func asksForGzip(_ fields: Fields) -> Bool {
        guard fields.contains("Accept-Encoding") else { return false }
        let codings = WeightedElement.all(in: "Accept-Encoding", of: fields)
        let named = codings.first { $0.name == "gzip" || $0.name == "x-gzip" } ?? codings.first { $0.name == "*" }
        return (named?.weight ?? 0) > 0
    }

    /// The language to use, of those there are: the lookup of RFC 4647 §3.4, range by range from the most wanted.
    static func language(_ fields: Fields, of available: [String], or fallback: String) -> String {
        let ranges = WeightedElement.all(in: "Accept-Language", of: fields).filter { $0.weight > 0 }
        // `sorted` keeps the order of equals: of two languages wanted alike, the first named.
        for range in ranges.enumerated().sorted(by: { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }) {
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
