/// A request method (RFC 9110 §9). Methods are case-sensitive: `get` is an unknown one.
package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
    case connect = "CONNECT"
    case trace = "TRACE"
    /// A well-formed token that is none of the above: answered 501.
    case other = ""
}
