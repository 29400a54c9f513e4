/// The target of a request (RFC 9112 §3.2), checked against its grammar by the parser. Octets, not yet percent-decoded.
package struct RequestTarget: Sendable {
    package private(set) var octets: [UInt8] = []
    /// The path, from the first `/`. For the asterisk form (`OPTIONS *`) it is `*`.
    package private(set) var path: Range<Int> = 0..<0
    /// What stands behind the first `?`, or nil.
    package private(set) var query: Range<Int>?

    package init() {}
}
