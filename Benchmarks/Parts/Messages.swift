import HTTP1

/// HTTP/1.1 without sockets: a request as a phone sends it, read; and its answer of 1.5 KB, put into octets.
func measureMessages() throws {
    let token = String(repeating: "abcdefghi", count: 30)
    let octets = Array(
        """
        GET /v1/users/me/layout HTTP/1.1\r\nHost: layouts.example\r\nUser-Agent: SuperApp/10.3 (iOS)\r\n\
        Accept: application/json\r\nAccept-Language: de\r\nAuthorization: Bearer \(token)\r\n\r\n
        """.utf8)
    var (request, parser) = (Request(), RequestParser(limits: Limits()))
    try measure("parse a request of \(octets.count) octets", calls: 20_000) { _ in
        // The head, then the end of a message without content.
        var start = 0
        repeat {
            var consumed = 0
            let event = try parser.parse(octets.span.extracting(start...), into: &request, consumed: &consumed)
            start += consumed
            if event == .complete { break }
        } while true
    }

    var fields = Fields()
    fields.append(name: "Content-Type", value: "application/json")
    fields.append(name: "ETag", value: "\"1+c1\"")
    let response = Response(.ok, fields: fields, content: .bytes([UInt8](repeating: 120, count: 1_500)))
    let encoder = ResponseEncoder()
    var output: [UInt8] = []
    measure("write an answer of 1,500 octets and its head", calls: 20_000) { _ in
        output.removeAll(keepingCapacity: true)
        _ = encoder.append(response, for: ResponseEncoder.Context(persists: true), to: &output)
    }
}
