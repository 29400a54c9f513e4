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
            let parts = element.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self).filter { $0 != " " && $0 != "\t" }.lowercased()
            }
            guard let name = parts.first, !name.isEmpty else { return nil }
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
        let weight =
            (Int(whole) ?? 0) * 1_000 + (Int(decimals + String(repeating: "0", count: 3 - decimals.count)) ?? 0)
        return weight <= 1_000 ? weight : nil
    }
}
