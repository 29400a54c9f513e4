// The query as `name=value` pairs, joined by `&`. A `+` is a plus: forms are not our clients (RFC 3986 §3.4).

extension RequestTarget {
    package struct Parameter: Sendable, Equatable {
        package var name: String
        /// Nil where there is no `=`.
        package var value: String?

        package init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// All parameters in order, percent-decoded; nil when one of them is not UTF-8. Empty pairs are left out.
    package func parameters() -> [Parameter]? {
        guard let query else { return [] }
        var all: [Parameter] = []
        for pair in octets[query].split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = pair[..<equals].percentDecoded() else { return nil }
            guard equals < pair.endIndex else {
                all.append(Parameter(name: name, value: nil))
                continue
            }
            guard let value = pair[(equals + 1)...].percentDecoded() else { return nil }
            all.append(Parameter(name: name, value: value))
        }
        return all
    }
}
