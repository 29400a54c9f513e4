import HTTP1
import LayoutAPI
import Testing

@Suite struct RequestIDTests {
    @Test(arguments: ["/v1/users/u1/layout", "/livez", "/readyz", "/nowhere", "/v1/users/u1/layout?nonsense=1"])
    func everyAnswerSaysWhichRequestItBelongsTo(target: String) async throws {
        let service = try await TestService("a b")
        let reply = try await service.get(target, ["X-Request-Id": "mine-7"])
        #expect(reply.response.requestID?.description == "mine-7")
        #expect(service.exchanges.last?.requestID?.description == "mine-7")
        if reply.status >= 400 { #expect(reply.json["requestId"]?.text == "mine-7") }
    }

    @Test func aMessageThatIsNotUnderstoodGetsAnIdToo() async throws {
        let service = try await TestService("a b")
        let first = service.api.answer(ProtocolError(.badRequest, "x"))
        let second = service.api.answer(ProtocolError(.badRequest, "x"))
        let id = try #require(first.requestID)
        #expect(id != second.requestID)
        #expect(Reply(first).json["requestId"]?.text == id.description)
        #expect(service.exchanges.map(\.requestID).suffix(2) == [first.requestID, second.requestID])
    }
}
