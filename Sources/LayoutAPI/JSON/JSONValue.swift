/// A JSON document (RFC 8259) as it stands. Members keep their order; a name never stands twice.
enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction or exponent that fits.
    case integer(Int)
    /// Any other number, as it was written: nothing here counts in fractions.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    struct Member: Equatable, Sendable {
        var name: String
        var value: JSONValue
    }

    /// How a message names this kind of value.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// What is wrong with a request's content, and where.
struct ContentFault: Error, Equatable, Sendable {
    var code: Code
    /// RFC 6901; empty for the whole document.
    var pointer: String
    /// A sentence: what is wrong, and what would be right.
    var detail: String

    enum Code: String, Sendable {
        case invalidJSON = "invalid_json"
        case duplicateField = "duplicate_field"
        case unknownField = "unknown_field"
        case missingField = "missing_field"
        case invalidValue = "invalid_value"
        case invalidAt = "invalid_at"
        case invalidIndex = "invalid_index"
    }
}

/// RFC 6901 §3: a `~` and a `/` inside a name are escaped.
func pointer(_ parent: String, _ name: String) -> String {
    guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return parent + "/" + name }
    return name.reduce(into: parent + "/") { text, character in
        switch character {
        case "~": text += "~0"
        case "/": text += "~1"
        default: text.append(character)
        }
    }
}
