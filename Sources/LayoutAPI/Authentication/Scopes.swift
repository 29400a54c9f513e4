/// What a token allows (RFC 6749 §3.3).
package struct Scopes: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let readLayout = Scopes(rawValue: 1)
    package static let writeLayout = Scopes(rawValue: 2)
    package static let writeCatalog = Scopes(rawValue: 4)
    package static let admin = Scopes(rawValue: 8)

    private static let names: [(name: StaticString, scope: Scopes)] = [
        ("layout:read", .readLayout), ("layout:write", .writeLayout), ("catalog:write", .writeCatalog),
        ("admin", .admin),
    ]

    /// The known ones of a list with spaces. Names compare octet by octet.
    package init(_ list: String) {
        self = []
        for name in list.utf8.split(separator: UInt8(ascii: " ")) {
            for (known, scope) in Self.names where known.withUTF8Buffer({ name.elementsEqual($0) }) { insert(scope) }
        }
    }

    /// The names in `list` that mean nothing here.
    package static func unknown(in list: String) -> [String] {
        list.split(separator: " ").map(String.init).filter { Scopes($0).isEmpty }
    }

    /// The names, as a challenge lists them.
    package var list: String {
        Self.names.filter { contains($0.scope) }.map(\.name.description).joined(separator: " ")
    }

    package static let allNames = names.map(\.name.description)
}
