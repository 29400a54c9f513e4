/// What a head says to the connection rather than to the resource: read once, when the head is complete.
package struct ControlData: Sendable, Equatable {
    package var framing = BodyFraming.none
    /// Whether another request may follow on this connection (RFC 9112 §9.3).
    package var persists = true
    /// Whether the client waits for `100 Continue` before it sends the content (RFC 9110 §10.1.1).
    package var expectsContinue = false

    init() {}

    init(_ fields: Fields, version: Request.Version) throws(ProtocolError) {
        var hosts = 0
        var lengths: [ArraySlice<UInt8>] = []
        var codings: [ArraySlice<UInt8>] = []
        var closes = false
        var keepsAlive = false
        for line in fields.lines {
            // The length of a name tells most names apart before an octet is compared.
            switch line.name.count {
            case 4 where fields.name(of: line).equalsIgnoringCase("Host"):
                hosts += 1
                guard
                    Authority.isValid(
                        fields.octets.span.extracting(Int(line.value.lowerBound)..<Int(line.value.upperBound)))
                else {
                    throw ProtocolError(.badRequest, "Host is not a host and a port")
                }
            case 6 where fields.name(of: line).equalsIgnoringCase("Expect"):
                try readExpectation(fields.value(of: line), version)
            case 10 where fields.name(of: line).equalsIgnoringCase("Connection"):
                for option in ListElements(fields.value(of: line)) {
                    if option.equalsIgnoringCase("close") { closes = true }
                    if option.equalsIgnoringCase("keep-alive") { keepsAlive = true }
                }
            case 14 where fields.name(of: line).equalsIgnoringCase("Content-Length"):
                lengths.append(fields.value(of: line))
            case 17 where fields.name(of: line).equalsIgnoringCase("Transfer-Encoding"):
                codings.append(fields.value(of: line))
            default: break
            }
        }
        // RFC 9112 §3.2: HTTP/1.1 has exactly one Host, whatever the form of the target.
        guard hosts == 1 || hosts == 0 && version == .http10 else {
            throw ProtocolError(.badRequest, hosts == 0 ? "No Host" : "More than one Host")
        }
        framing = try BodyFraming(lengths: lengths, codings: codings, version: version)
        persists = !closes && (version == .http11 || keepsAlive)
    }

    private mutating func readExpectation(
        _ value: ArraySlice<UInt8>, _ version: Request.Version
    ) throws(ProtocolError) {
        // RFC 9110 §10.1.1: in HTTP/1.0 the expectation is ignored.
        guard version == .http11 else { return }
        for expectation in ListElements(value) {
            guard expectation.equalsIgnoringCase("100-continue") else {
                throw ProtocolError(.expectationFailed, "No expectation but 100-continue is supported")
            }
            expectsContinue = true
        }
    }
}
