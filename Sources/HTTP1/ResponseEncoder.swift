/// Puts responses on the wire (RFC 9112 §4–§7): head and content one behind the other in one buffer, so that they leave
/// in one write.
package struct ResponseEncoder: Sendable {
    /// How the octets behind the head are framed.
    package enum Framing: Sendable, Equatable {
        /// The whole answer has been appended.
        case whole
        /// The head has been; the content, octets as they are, is left to the caller.
        case head
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

    /// Field lines that every response carries, each ended by CR LF: its `Date`, then `serverFields`.
    private var commonFields: [UInt8] = []
    private let serverFields: [UInt8]

    /// - Parameter serverFields: what to add to every response, as `X-Content-Type-Options: nosniff`.
    package init(serverFields: Fields = Fields(), date seconds: Int = 0) {
        self.serverFields = serverFields.octets
        setDate(seconds)
    }

    /// Sets the `Date` of the answers to come; to be called when a second has passed.
    package mutating func setDate(_ secondsSinceEpoch: Int) {
        commonFields.removeAll(keepingCapacity: true)
        commonFields.append("Date: ")
        commonFields.append(contentsOf: HTTPDate.octets(secondsSinceEpoch))
        commonFields.append("\r\n")
        commonFields.append(contentsOf: serverFields)
    }

    /// Appends the head, and the content where it is octets.
    ///
    /// A stream to a client of HTTP/1.0 is `.untilClose`, whatever `context` wanted.
    ///
    /// - Parameter limit: a longer content is not copied: see `Framing.head`.
    package func append(
        _ response: borrowing Response, for context: Context, copying limit: Int = .max, to output: inout [UInt8]
    ) -> Framing {
        let isOmitted = context.method == .head || response.omitsContent
        guard response.status.allowsContent else {
            // RFC 9110 §8.6: no Content-Length with 1xx and 204, and none is needed with 304.
            appendHead(response, .none, context, persists: context.persists, to: &output)
            return .whole
        }
        if let count = response.content.count {
            appendHead(response, .length(count), context, persists: context.persists, to: &output)
            if isOmitted { return .whole }
            if count > limit { return .head }
            response.content.append(to: &output)
            return .whole
        }
        guard context.version != .http10 else {
            appendHead(response, .none, context, persists: isOmitted && context.persists, to: &output)
            return isOmitted ? .whole : .untilClose
        }
        appendHead(response, .chunked, context, persists: context.persists, to: &output)
        return isOmitted ? .whole : .chunked
    }

    /// What the head says about the content's length.
    private enum Length {
        case none
        case length(Int)
        case chunked
    }

    private func appendHead(
        _ response: borrowing Response, _ length: Length, _ context: Context, persists: Bool, to output: inout [UInt8]
    ) {
        let status = response.status
        let room = commonFields.count + response.fields.octets.count + status.reason.utf8CodeUnitCount
        // The texts below have 120 octets at most, with a length of 19 digits.
        output.append(atMost: room + RequestID.longest + 128) { head in
            head.write("HTTP/1.1 ")
            head.write(UInt64(status.code), digits: 3)
            head.write(" ")
            head.write(status.reason)
            head.write("\r\n")
            head.write(commonFields)
            head.write(response.fields.octets)
            if let id = response.requestID {
                head.write("X-Request-Id: ")
                id.write(to: &head)
                head.write("\r\n")
            }
            switch length {
            case .none: break
            case .length(let count):
                head.write("Content-Length: ")
                head.write(count)
                head.write("\r\n")
            case .chunked: head.write("Transfer-Encoding: chunked\r\n")
            }
            if !persists {
                head.write("Connection: close\r\n")
            } else if context.version == .http10 {
                head.write("Connection: keep-alive\r\n")
            }
            head.write("\r\n")
        }
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
