/// Where something stands in a JSON document (RFC 6901): `/functions/3/pin`.
package enum JSONPointer {
    /// `parent` with one more step: the member called `name`. §3: a `~` and a `/` inside a name are escaped.
    package static func appending(_ name: String, to parent: String) -> String {
        var pointer = parent + "/"
        // Scalar by scalar: a slash with a combining mark is one Character, and still a slash.
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": pointer += "~0"
            case "/": pointer += "~1"
            default: pointer.unicodeScalars.append(scalar)
            }
        }
        return pointer
    }
}
