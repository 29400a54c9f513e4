/// What is wrong with a request's content, and where.
struct ContentFault: Error {
    var code: Code
    /// RFC 6901; empty for the whole document.
    var pointer: String
    /// A sentence: what is wrong, and what would be right.
    var detail: String
    var params: [Problem.Parameter] = []
    var operationIndex: Int?

    enum Code: String, CaseIterable, Sendable {
        case invalidJSON = "invalid_json"
        case duplicateField = "duplicate_field"
        case unknownField = "unknown_field"
        case missingField = "missing_field"
        case invalidValue = "invalid_value"
        case invalidAt = "invalid_at"
        case invalidIndex = "invalid_index"
        case anchorIsSelf = "anchor_is_self"
        case tooManyOperations = "too_many_operations"
        case lineTooLong = "line_too_long"

        var title: String {
            switch self {
            case .invalidJSON: "Invalid JSON"
            case .duplicateField: "Duplicate field"
            case .unknownField: "Unknown field"
            case .missingField: "Missing field"
            case .invalidValue: "Invalid value"
            case .invalidAt: "Invalid place"
            case .invalidIndex: "Invalid index"
            case .anchorIsSelf: "Anchor is the item"
            case .tooManyOperations: "Too many operations"
            case .lineTooLong: "Line too long"
            }
        }
    }
}

extension ContentFault: CustomStringConvertible {
    /// For the command line: `/functions/3/pin: Expected a whole number, not a string. [invalid_value]`.
    var description: String { "\(pointer.isEmpty ? "" : "\(pointer): ")\(detail) [\(code.rawValue)]" }
}

/// `parent` with one more step: the member called `name`. RFC 6901 §3: a `~` and a `/` inside a name are escaped.
func pointer(_ parent: String, _ name: String) -> String {
    guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
        return parent + "/" + name
    }
    // Scalar by scalar: a slash with a combining mark is one Character, and still a slash.
    var pointer = parent.unicodeScalars + "/".unicodeScalars
    for scalar in name.unicodeScalars {
        switch scalar {
        case "~": pointer += "~0".unicodeScalars
        case "/": pointer += "~1".unicodeScalars
        default: pointer.append(scalar)
        }
    }
    return String(pointer)
}
