/// Puts responses on the wire (RFC 9112 §4–§7): head and content one behind the other in one buffer, so that they leave
/// in one write.
package struct ResponseEncoder: Sendable {
    /// How the octets behind the head are framed.
    package enum Framing: Sendable, Equatable {
        /// The whole answer has been appended.
        case whole
        /// A stream follows, in chunks.
        case chunked
        /// A stream follows, and the end of the connection is its end.
        case untilClose
    }

    /// What the answer has to know about its request and its connection.
    package struct Context: Sendable {
        package var method: Method
        package var version: Request.Version
        /// Whether another request may follow this answer on the connection.
        package var persists: Bool

        package init(method: Method = .get, version: Request.Version = .http11, persists: Bool = false) {
            self.method = method
            self.version = version
            self.persists = persists
        }
    }

    /// Field lines that every response carries, each ended by CR LF.
    private let serverFields: [UInt8]
    private var dateLine: [UInt8] = []

    /// - Parameter serverFields: what to add to every response, as `X-Content-Type-Options: nosniff`.
    package init(serverFields: Fields = Fields(), date seconds: Int = 0) {
        self.serverFields = serverFields.octets
        setDate(seconds)
    }

    /// Sets the `Date` of the answers to come; to be called when a second has passed.
    package mutating func setDate(_ secondsSinceEpoch: Int) {
        dateLine.removeAll(keepingCapacity: true)
        dateLine.append("Date: ")
        dateLine.append(contentsOf: HTTPDate.octets(secondsSinceEpoch))
        dateLine.append("\r\n")
    }

    /// Appends the head, and the content where it is octets.
    ///
    /// A stream to a client of HTTP/1.0 is `.untilClose`, whatever `context` wanted.
    package func append(_ response: borrowing Response, for context: Context, to output: inout [UInt8]) -> Framing {
        let isOmitted = context.method == .head || response.omitsContent
        output.append("HTTP/1.1 ")
        output.appendDecimal(response.status.code)
        output.append(" ")
        output.append(response.status.reason)
        output.append("\r\n")
        output.append(contentsOf: dateLine)
        output.append(contentsOf: serverFields)
        output.append(contentsOf: response.fields.octets)
        if let id = response.requestID {
            output.append("X-Request-Id: ")
            id.append(to: &output)
            output.append("\r\n")
        }
        switch response.content {
        case _ where !response.status.allowsContent:
            // RFC 9110 §8.6: no Content-Length with 1xx and 204, and none is needed with 304.
            endHead(context, persists: context.persists, to: &output)
            return .whole
        case .none:
            output.append("Content-Length: 0\r\n")
            endHead(context, persists: context.persists, to: &output)
            return .whole
        case .bytes(let content):
            output.append("Content-Length: ")
            output.appendDecimal(content.count)
            output.append("\r\n")
            endHead(context, persists: context.persists, to: &output)
            if !isOmitted { output.append(contentsOf: content) }
            return .whole
        case .stream where context.version == .http10:
            endHead(context, persists: isOmitted && context.persists, to: &output)
            return isOmitted ? .whole : .untilClose
        case .stream:
            output.append("Transfer-Encoding: chunked\r\n")
            endHead(context, persists: context.persists, to: &output)
            return isOmitted ? .whole : .chunked
        }
    }

    private func endHead(_ context: Context, persists: Bool, to output: inout [UInt8]) {
        if !persists {
            output.append("Connection: close\r\n")
        } else if context.version == .http10 {
            output.append("Connection: keep-alive\r\n")
        }
        output.append("\r\n")
    }

    /// Appends a piece of a stream.
    package static func append(_ piece: [UInt8], framing: Framing, to output: inout [UInt8]) {
        // A chunk of length 0 would end the content.
        guard !piece.isEmpty else { return }
        guard framing == .chunked else {
            output.append(contentsOf: piece)
            return
        }
        output.appendHexadecimal(piece.count)
        output.append("\r\n")
        output.append(contentsOf: piece)
        output.append("\r\n")
    }

    /// Appends the end of a stream.
    package static func appendEnd(framing: Framing, to output: inout [UInt8]) {
        if framing == .chunked { output.append("0\r\n\r\n") }
    }

    /// Appends the interim answer to `Expect: 100-continue` (RFC 9110 §15.2.1).
    package static func appendContinue(to output: inout [UInt8]) {
        output.append("HTTP/1.1 100 Continue\r\n\r\n")
    }
}

extension Status {
    /// RFC 9112 §6.3: responses with these codes end with their head.
    fileprivate var allowsContent: Bool { code >= 200 && code != 204 && code != 304 }
}
