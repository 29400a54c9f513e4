import HTTP1
import Testing

private let put = "PUT /a HTTP/1.1\r\nHost: a\r\n"
private let chunked = put + "Transfer-Encoding: chunked\r\n\r\n"

struct RequestParserTests {
    @Test func aRequestIsTakenApart() throws {
        let reading = Reading(
            "PUT /v1/a?x=1 HTTP/1.1\r\nHost: h:80\r\nX-A:\t two words \r\nContent-Length: 3\r\n\r\nabc")
        let message = try #require(reading.messages.first)
        #expect(reading.error == nil)
        #expect(message.method == .put)
        #expect(message.target == Array("/v1/a?x=1".utf8))
        #expect(message.path == 0..<5)
        #expect(message.version == .http11)
        #expect(message.fields == Array("Host: h:80\r\nX-A:\t two words \r\nContent-Length: 3\r\n".utf8))
        #expect(message.values == ["h:80", "two words", "3"].map { Array($0.utf8) })
        #expect(message.content == Array("abc".utf8))
    }

    @Test func requestsBehindOneAnotherAreTakenInOrder() {
        let reading = Reading(
            "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n" + put + "Content-Length: 2\r\n\r\nokGET /3 HTTP/1.0\r\n\r\n")
        #expect(reading.messages.map(\.method) == [.get, .put, .get])
        #expect(reading.messages.map(\.version) == [.http11, .http11, .http10])
        #expect(reading.messages.map(\.control.persists) == [true, true, false])
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", HTTP1.Method.get),
        ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .get),
        ("get / HTTP/1.1\r\nHost: a\r\n\r\n", .other),
        ("GET http://a HTTP/1.1\r\nHost: b\r\n\r\n", .get),
        ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", .options),
        ("GET / HTTP/1.9\r\nHost: a\r\n\r\n", .get),
        ("HEAD / HTTP/1.0\r\n\r\n", .head),
        ("GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", .get),
        ("GET / HTTP/1.1\r\nHost: a\r\nX:\r\n\r\n", .get),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{e9}\r\n\r\n", .get),
    ])
    func whatTheGrammarAllowsIsTaken(text: String, method: HTTP1.Method) {
        let reading = Reading(text)
        #expect(reading.error == nil)
        #expect(reading.messages.map(\.method) == [method])
    }

    @Test(arguments: [
        // The request line.
        ("\u{16}", 400), (" ", 400), ("GET\t", 400), ("GET /\n", 400), ("GET /a\r", 400), ("GET  ", 400),
        ("GET / h", 400), ("GET / HTTP/1.1 ", 400), ("GET / HTTP/2.0\r", 505), ("GET / HTTP/11", 400),
        ("GET /<", 400), ("GET /#", 400), ("HTTP/", 400), ("\r\r", 400), ("\n", 400),
        (String(repeating: "M", count: 33), 501),
        ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET /[ HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /%2 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 501), ("CONNECT /a HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        // Fields.
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost:\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: [::g]\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nX ", 400), ("GET / HTTP/1.1\r\n ", 400), ("GET / HTTP/1.1\r\nX: 1\r\n ", 400),
        ("GET / HTTP/1.1\r\nX: 1\n", 400), ("GET / HTTP/1.1\r\nX: \0", 400), ("GET / HTTP/1.1\r\nX: 1\rY", 400),
        // Framing.
        (put + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", 400), (put + "Content-Length: 1, 1\r\n\r\n", 400),
        (put + "Content-Length: +1\r\n\r\n", 400), (put + "Content-Length:\r\n\r\n", 400),
        (put + "Content-Length: 99999999999999999999\r\n\r\n", 413), (put + "Content-Length: 65537\r\n\r\n", 413),
        (put + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (put + "Transfer-Encoding: gzip\r\n\r\n", 400), (put + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
        (put + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (put + "Expect: miracles\r\n\r\n", 417),
        // Chunks.
        (chunked + "x", 400), (chunked + "1 \r", 400), (chunked + "1\n", 400), (chunked + "1\r\nab", 400),
        (chunked + "10001\r", 413), (chunked + "0FFFFF;", 413), (chunked + "10000000000000000", 400),
        (chunked + "1;=", 400),
        (chunked + "1;a=\"b\r", 400), (chunked + "0\r\nX ", 400), (chunked + "0\r\n ", 400),
    ])
    func whatIsWrongIsRefusedAtItsFirstWrongOctet(text: String, status: Int) {
        let octets = Array(text.utf8)
        #expect(Reading([octets]).error?.status.code == status)
        #expect(Reading([octets.dropLast()]).error == nil, "one octet earlier it could still have been right")
    }

    @Test func contentThatIsTakenInPiecesMayHaveAnyLength() {
        let octets = [UInt8](repeating: 120, count: 300_000)
        let length = Array("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n".utf8) + octets
        #expect(Reading(length.pieces(of: 65_536), takingContent: true).messages.map(\.content.count) == [300_000])
        let chunks = Array("\(chunked)493e0\r\n".utf8) + octets + Array("\r\n0\r\n\r\n".utf8)
        #expect(Reading(chunks.pieces(of: 65_536), takingContent: true).messages.map(\.content.count) == [300_000])
        // Not so the size of a chunk, which has to be a number that can be counted down.
        let largest = Reading([Array("\(chunked)400000000000000\r\n".utf8)], takingContent: true)
        #expect(largest.error == nil)
        for size in ["400000000000001", "4000000000000000", "FFFFFFFFFFFFFFFF"] {
            let reading = Reading([Array("\(chunked)\(size)\r".utf8)], takingContent: true)
            #expect(reading.error?.status == .contentTooLarge)
        }
    }

    @Test func chunksAreJoinedAndTheirExtensionsAndTrailersForgotten() {
        let reading = Reading(
            chunked + "3 ; a = \"b\\\";\"\r\nabc\r\n0002;x\r\nde\r\n000\r\nX-Sum: 1\r\n\r\nGET / HTTP/1.0\r\n\r\n")
        #expect(reading.error == nil)
        #expect(reading.messages.map(\.content) == [Array("abcde".utf8), []])
        #expect(reading.messages.first?.control.framing == .chunked)
    }

    @Test(arguments: [
        ("", true, true), ("Connection: close\r\n", true, false), ("Connection: x, CLOSE\r\n", true, false),
        ("Connection: x\r\nConnection: ,close\r\n", true, false), ("Connection: closed\r\n", true, true),
        ("", false, false), ("Connection: keep-alive\r\n", false, true),
        ("Connection: keep-alive, close\r\n", false, false),
    ])
    func connectionOptionsDecideWhetherAnotherRequestMayFollow(fields: String, isHTTP11: Bool, persists: Bool) {
        let reading = Reading("GET / HTTP/1.\(isHTTP11 ? 1 : 0)\r\nHost: a\r\n\(fields)\r\n")
        #expect(reading.messages.map(\.control.persists) == [persists])
    }

    @Test func anExpectationIsKnownToHTTP11Alone() {
        #expect(Reading(put + "Expect: 100-Continue\r\n\r\n").messages.first?.control.expectsContinue == true)
        #expect(
            Reading("PUT / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n").messages.first?.control.expectsContinue == false)
    }
}
