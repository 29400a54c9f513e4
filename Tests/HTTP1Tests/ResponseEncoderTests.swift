import HTTP1
import Testing

private let date = "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"

private func encode(
    _ response: Response, _ context: ResponseEncoder.Context = .init(persists: true), serverFields: Fields = Fields()
) -> (String, ResponseEncoder.Framing) {
    var output: [UInt8] = []
    let framing = ResponseEncoder(serverFields: serverFields).append(response, for: context, to: &output)
    return (String(decoding: output, as: UTF8.self), framing)
}

struct ResponseEncoderTests {
    @Test func headAndContentLeaveTogether() {
        var fields = Fields()
        fields.append(name: "ETag", value: "\"1\"")
        let (text, framing) = encode(Response(.ok, fields: fields, content: .bytes(Array("hello".utf8))))
        #expect(text == "HTTP/1.1 200 OK\r\n" + date + "ETag: \"1\"\r\nContent-Length: 5\r\n\r\nhello")
        #expect(framing == .whole)
    }

    @Test func aContentBeyondTheLimitIsLeftToTheCaller() {
        let response = Response(.ok, content: .bytes(Array("hello".utf8)))
        for (method, limit, framing) in [
            (Method.get, 5, ResponseEncoder.Framing.whole), (.get, 4, .head), (.head, 4, .whole),
        ] {
            var output: [UInt8] = []
            let context = ResponseEncoder.Context(method: method, persists: true)
            #expect(ResponseEncoder().append(response, for: context, copying: limit, to: &output) == framing)
            let text = String(decoding: output, as: UTF8.self)
            #expect(text.contains("Content-Length: 5\r\n"))
            #expect(text.hasSuffix(limit == 5 ? "\r\n\r\nhello" : "\r\n\r\n"))
        }
    }

    @Test func headHasTheFieldsOfGetAndNoContent() {
        let response = Response(.ok, content: .bytes(Array("hello".utf8)))
        let (text, _) = encode(response, .init(method: .head, persists: true))
        #expect(text == "HTTP/1.1 200 OK\r\n" + date + "Content-Length: 5\r\n\r\n")
    }

    @Test(arguments: [Status.noContent, .notModified])
    func someStatusesHaveNeitherContentNorLength(status: Status) {
        let (text, framing) = encode(Response(status, content: .bytes([1])))
        #expect(text == "HTTP/1.1 \(status.code) \(status.reason)\r\n" + date + "\r\n")
        #expect(framing == .whole)
    }

    @Test func noContentIsALengthOfZero() {
        #expect(encode(Response(.created)).0 == "HTTP/1.1 201 Created\r\n" + date + "Content-Length: 0\r\n\r\n")
    }

    @Test func theConnectionFieldSaysWhatIsNotTheVersionsDefault() {
        #expect(encode(Response(.ok), .init(persists: false)).0.contains("\r\nConnection: close\r\n"))
        #expect(
            encode(Response(.ok), .init(version: .http10, persists: true)).0.contains("\r\nConnection: keep-alive\r\n"))
        #expect(!encode(Response(.ok), .init(persists: true)).0.contains("Connection"))
    }

    @Test func everyResponseCarriesTheServersFields() {
        var fields = Fields()
        fields.append(name: "X-Content-Type-Options", value: "nosniff")
        #expect(encode(Response(.ok), serverFields: fields).0.contains("\r\nX-Content-Type-Options: nosniff\r\n"))
    }

    @Test func aStreamIsChunkedOrEndsWithTheConnection() {
        let stream = Response(.ok, content: .stream { _ in })
        let (chunked, framing) = encode(stream)
        #expect(chunked.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(framing == .chunked)
        let (old, oldFraming) = encode(stream, .init(version: .http10, persists: true))
        #expect(!old.contains("Transfer-Encoding") && old.contains("Connection: close"))
        #expect(oldFraming == .untilClose)
        #expect(encode(stream, .init(method: .head, persists: true)).1 == .whole)
    }

    @Test func piecesBecomeChunksAndAnEmptyOneIsNotTheEnd() {
        var output: [UInt8] = []
        ResponseEncoder.append(Array(repeating: 120, count: 26), framing: .chunked, to: &output)
        ResponseEncoder.append([], framing: .chunked, to: &output)
        ResponseEncoder.appendEnd(framing: .chunked, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "1a\r\n\(String(repeating: "x", count: 26))\r\n0\r\n\r\n")
    }
}
