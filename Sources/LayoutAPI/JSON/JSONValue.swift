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
        case .integer: "a number"
        case .number: "a number with a fraction, an exponent or too many digits"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
