/// How large the parts of a request may be, in octets. What is larger is refused as soon as it is seen to be.
package struct Limits: Sendable, Equatable {
    /// Request line and field section together; more is answered 431.
    package var head = 16 * 1024
    /// The target alone; more is answered 414. RFC 9112 §3 recommends at least 8000.
    package var target = 8 * 1024
    /// Lines in the field section; more is answered 431.
    package var fieldLines = 100
    /// The most content a request may carry unless its handler says otherwise; more is answered 413.
    package var content = 64 * 1024
    /// What a chunked content may spend, all in all, on chunk extensions and superfluous zeros (RFC 9112 §7.1.1).
    package var chunkExtensions = 4 * 1024
    /// The trailer section; more is answered 431.
    package var trailers = 8 * 1024

    /// A method longer than any we know is answered 501 (RFC 9112 §3); this is where we stop reading.
    static let method = 32

    package init() {}
}
