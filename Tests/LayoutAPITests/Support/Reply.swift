import HTTP1
import Testing

@testable import LayoutAPI

/// An answer, as a test looks at it.
struct Reply: Sendable {
    let response: Response

    init(_ response: Response) { self.response = response }

    var status: Int { response.status.code }

    var octets: [UInt8] { if case .bytes(let octets) = response.content { octets } else { [] } }

    var text: String { String(decoding: octets, as: UTF8.self) }

    /// The content, read by the strict reader; null where it is none.
    var json: JSONValue { (try? JSONReader.read(octets)) ?? .null }

    func field(_ name: StaticString) -> String? { response.fields.first(name) }

    var tag: String? { field("ETag") }
    var code: String? { json["code"]?.text }

    /// The layout: of a GET, of a write, or the current one of a refusal.
    var layout: JSONValue { json["layout"] ?? json["current"] ?? json }
    /// Its ids with spaces between them; nil where there is none.
    var favorites: String? { layout["favorites"]?.texts?.joined(separator: " ") }
    var version: Int? { layout["version"]?.number }
    var changed: Bool? { json["changed"]?.bool }
    /// `applied`, or `skipped: item_absent`, one for each operation.
    var outcomes: [String] {
        (json["outcomes"]?.elements ?? []).map { outcome in
            [outcome["result"]?.text, outcome["reason"]?.text].compactMap { $0 }.joined(separator: ": ")
        }
    }
}

extension JSONValue {
    subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members.first { $0.name == name }?.value } else { nil }
    }

    subscript(index: Int) -> JSONValue? {
        if case .array(let all) = self, all.indices.contains(index) { all[index] } else { nil }
    }

    var elements: [JSONValue]? { if case .array(let all) = self { all } else { nil } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var number: Int? { if case .integer(let number) = self { number } else { nil } }
    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    var texts: [String]? { elements?.compactMap(\.text) }
    var names: [String] { if case .object(let members) = self { members.map(\.name) } else { [] } }
}
