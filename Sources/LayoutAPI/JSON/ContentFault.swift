/// What is wrong with a request's content, and where.
struct ContentFault: Error {
    var code: Problem.Code
    /// RFC 6901; empty for the whole document.
    var pointer: String
    /// A sentence: what is wrong, and what would be right.
    var detail: String
    var params: [Problem.Parameter] = []
    var operationIndex: Int?
}

extension ContentFault: CustomStringConvertible {
    /// For the command line: `/functions/3/pin: Expected a whole number, not a string. [invalid_value]`.
    var description: String { "\(pointer.isEmpty ? "" : "\(pointer): ")\(detail) [\(code.rawValue)]" }
}

extension String {
    /// As much of a client's own text as an answer repeats.
    var excerpt: String {
        guard utf8.count > 64, let end = unicodeScalars.index(startIndex, offsetBy: 64, limitedBy: endIndex),
            end < endIndex
        else { return self }
        return "\(self[..<end])…"
    }
}

/// `parent` with one more step: the member called `name`, of which a long one is cut. RFC 6901 §3: a `~` and a `/` inside a name are escaped.
func pointer(_ parent: String, _ name: String) -> String {
    let name = name.excerpt
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
