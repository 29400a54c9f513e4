/// Where the content of a request ends (RFC 9112 §6.3).
package enum BodyFraming: Sendable, Equatable {
    case none
    case length(Int)
    case chunked

    /// The decision, from every line that has a say in it. There is no repair: whatever two readers might read in two
    /// ways is refused, since a proxy before us may be the other reader.
    init(lengths: [ArraySlice<UInt8>], codings: [ArraySlice<UInt8>], version: Request.Version) throws(ProtocolError) {
        guard let coding = codings.first else {
            self = try Self.length(lengths)
            return
        }
        // RFC 9112 §6.1: a server may refuse a message with both; and in HTTP/1.0 the coding is faulty framing.
        guard lengths.isEmpty else {
            throw ProtocolError(.badRequest, "Both Transfer-Encoding and Content-Length")
        }
        guard version == .http11 else { throw ProtocolError(.badRequest, "Transfer-Encoding in HTTP/1.0") }
        guard codings.count == 1, coding.equalsIgnoringCase("chunked") else {
            // RFC 9112 §6.3: without a final `chunked` the end is unknown; §6.1: another coding before it is 501.
            throw codings.count == 1 && coding.suffix(8).equalsIgnoringCase(" chunked")
                ? ProtocolError(.notImplemented, "No transfer coding but chunked is supported")
                : ProtocolError(.badRequest, "Transfer-Encoding is not chunked, once")
        }
        self = .chunked
    }

    private static func length(_ values: [ArraySlice<UInt8>]) throws(ProtocolError) -> Self {
        guard let value = values.first else { return .none }
        // RFC 9112 §6.3: two different lengths cannot be recovered from; two equal ones we had rather not see either.
        guard values.count == 1 else { throw ProtocolError(.badRequest, "More than one Content-Length") }
        guard !value.isEmpty, value.allSatisfy(\.isDigit) else {
            throw ProtocolError(.badRequest, "Content-Length is not a decimal number")
        }
        var length = 0
        for digit in value {
            let (product, overflow) = length.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
            guard !overflow, !carry else { throw .contentTooLarge(limit: nil) }
            length = sum
        }
        return length == 0 ? .none : .length(length)
    }
}

extension ProtocolError {
    /// - Parameter limit: nil where it is more than any resource takes.
    static func contentTooLarge(limit: Int?) -> Self {
        Self(.contentTooLarge, "The content has more octets than are taken here", limit: limit)
    }
}
