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

    /// The value at that place of a document, with all that it holds.
    init(_ document: JSONDocument, at place: Int) {
        switch document.kind(at: place) {
        case .null: self = .null
        case .yes: self = .bool(true)
        case .no: self = .bool(false)
        case .integer: self = .integer(document.integer(at: place))
        case .number: self = .number(document.text(at: place))
        case .text, .madeText: self = .string(document.text(at: place))
        case .array: self = .array(document.children(of: place).map { JSONValue(document, at: $0) })
        case .object:
            self = .object(
                document.children(of: place).map { name in
                    Member(name: document.text(at: name), value: JSONValue(document, at: name + 1))
                })
        }
    }
}
