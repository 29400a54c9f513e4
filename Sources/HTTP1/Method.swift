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

extension Method {
    init(_ token: Span<UInt8>) {
        self =
            switch token.count {
            case 3 where token.equals("GET"): .get
            case 3 where token.equals("PUT"): .put
            case 4 where token.equals("POST"): .post
            case 4 where token.equals("HEAD"): .head
            case 5 where token.equals("PATCH"): .patch
            case 5 where token.equals("TRACE"): .trace
            case 6 where token.equals("DELETE"): .delete
            case 7 where token.equals("OPTIONS"): .options
            case 7 where token.equals("CONNECT"): .connect
            default: .other
            }
    }
}

extension Span<UInt8> {
    fileprivate func equals(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in text.indices.allSatisfy { self[$0] == text[$0] } }
    }
}
