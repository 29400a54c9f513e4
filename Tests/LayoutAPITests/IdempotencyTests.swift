import HTTP1
import LayoutAPI
import Testing

@Suite struct IdempotencyTests {
    private let move = #"{"op":"move","id":"a","at":{"after":"b"}}"#

    private func expectReplay(_ second: Reply, of first: Reply) {
        #expect(second.status == first.status)
        #expect(second.octets == first.octets)
        #expect(second.tag == first.tag)
        #expect(first.field("Idempotency-Replayed") == nil)
        #expect(second.field("Idempotency-Replayed") == "true")
        #expect(second.field("Content-Type") == first.field("Content-Type"))
        #expect(second.field("Cache-Control") == first.field("Cache-Control"))
    }

    @Test func aRepeatedRequestIsAnsweredAsBeforeByteForByte() async throws {
        let service = try await TestService("a b c d")
        let first = try await service.operations(move, ["Idempotency-Key": "k1"])
        service.advance(milliseconds: 60_000)
        _ = try await service.operations(#"{"op":"remove","id":"c"}"#)
        expectReplay(try await service.operations(move, ["Idempotency-Key": "k1"]), of: first)
        expectReplay(try await service.operations(move, ["Idempotency-Key": #""k1""#]), of: first)
        #expect(try await service.layout().version == 3)
    }

    @Test func everyWriteOfALayoutCanBeRepeated() async throws {
        let service = try await TestService("a b c d", catalog: catalogText(defaults: "a"))
        let path = "/v1/users/u1/layout"
        let key: KeyValuePairs<StaticString, String> = ["Idempotency-Key": "k", "If-Match": "*"]
        for (method, target, content) in [
            (Method.put, path, #"{"favorites":["b","a"]}"# as String?), (.put, "\(path)/favorites/h", nil),
            (.put, "\(path)/favorites/i", #"{"at":{"edge":"first"}}"#), (.delete, "\(path)/favorites/h", nil),
            (.delete, path, nil),
            (.post, "\(path)/operations", #"{"operations":[]}"#),
        ] {
            let first = try await service.send(method, target, key, content)
            #expect(first.status < 300)
            expectReplay(try await service.send(method, target, key, content), of: first)
        }
    }

    @Test func aReplayStandsBeforeTheCondition() async throws {
        let service = try await TestService("a b c d")
        let fields: KeyValuePairs<StaticString, String> = ["Idempotency-Key": "k", "If-Match": #""1""#]
        let first = try await service.put("d c b a", fields)
        #expect(first.tag == #""2""#)
        _ = try await service.operations(#"{"op":"remove","id":"c"}"#)
        try await service.lock(true)
        expectReplay(try await service.put("d c b a", fields), of: first)
        // Not even the condition that is required is asked for.
        expectReplay(try await service.put("d c b a", ["Idempotency-Key": "k"]), of: first)
    }

    @Test func aKeyMeansOneRequestInOnePlace() async throws {
        let service = try await TestService("a b c d")
        _ = try await service.operations(move, ["Idempotency-Key": "k"])
        let reused = try await service.operations(#"{"op":"remove","id":"b"}"#, ["Idempotency-Key": "k"])
        #expect(reused.status == 422)
        #expect(reused.code == "idempotency_key_reused")
        #expect(reused.json["current"] == nil)
        // An app that was updated between a request and its repetition says another version, and means the same request.
        let updated = try await service.operations(move, ["Idempotency-Key": "k"], query: "?platform=ios&appVersion=2")
        #expect(updated.field("Idempotency-Replayed") == "true")
        // Another user, path or method is another place.
        let other = try await service.send(
            .post, "/v1/users/u2/layout/operations", ["Idempotency-Key": "k"],
            #"{"operations":[{"op":"add","id":"a"}]}"#)
        #expect(other.status == 200)
        #expect(try await service.send(.put, "/v1/users/u1/layout/favorites/h", ["Idempotency-Key": "k"]).status == 201)
        #expect(
            try await service.send(.delete, "/v1/users/u1/layout/favorites/h", ["Idempotency-Key": "k"]).status == 200)
        #expect(try await service.layout().favorites == "b a c d")
    }

    @Test func aRefusedRequestCanBeCuredAndRepeated() async throws {
        let service = try await TestService("a b c d")
        #expect(try await service.put("d c b a", ["Idempotency-Key": "k", "If-Match": #""0""#]).status == 412)
        #expect(try await service.put("d c b a a", ["Idempotency-Key": "k", "If-Match": #""1""#]).status == 422)
        let cured = try await service.put("d c b a", ["Idempotency-Key": "k", "If-Match": #""1""#])
        #expect(cured.status == 200)
        #expect(cured.field("Idempotency-Replayed") == nil)
    }

    @Test func anUnchangedAnswerIsKeptAndADryRunIsNot() async throws {
        let service = try await TestService("a b c d")
        let nothing = try await service.operations(#"{"op":"remove","id":"h"}"#, ["Idempotency-Key": "n"])
        _ = try await service.operations(#"{"op":"add","id":"h"}"#)
        expectReplay(try await service.operations(#"{"op":"remove","id":"h"}"#, ["Idempotency-Key": "n"]), of: nothing)
        #expect(try await service.operations(move, ["Idempotency-Key": "d"], query: "?validateOnly=true").status == 200)
        let real = try await service.operations(move, ["Idempotency-Key": "d"])
        #expect(real.field("Idempotency-Replayed") == nil)
        #expect(real.changed == true)
    }

    @Test func aKeyIsForgottenAfterADay() async throws {
        let service = try await TestService("a b c d")
        let end = #"{"op":"move","id":"a","at":{"edge":"last"}}"#
        let first = try await service.operations(end, ["Idempotency-Key": "k"])
        service.advance(milliseconds: 24 * 3_600_000)
        expectReplay(try await service.operations(end, ["Idempotency-Key": "k"]), of: first)
        service.advance(milliseconds: 1)
        let again = try await service.operations(#"{"op":"remove","id":"b"}"#, ["Idempotency-Key": "k"])
        #expect(again.status == 200)
        #expect(again.field("Idempotency-Replayed") == nil)
    }

    @Test(arguments: [
        "", #""""#, "\"", "a b", "a\"b", #""a"b""#, #"a\b"#, "é", String(repeating: "k", count: 256),
        "\"" + String(repeating: "k", count: 256) + "\"",
    ])
    func aMalformedKeyIsRefused(key: String) async throws {
        let service = try await TestService("a b c d")
        let reply = try await service.operations(move, ["Idempotency-Key": key])
        #expect(reply.status == 400)
        #expect(reply.code == "malformed_idempotency_key")
        #expect(try await service.layout().version == 1)
    }

    @Test func aKeyMayBe255CharactersLongAndStandsOnce() async throws {
        let service = try await TestService("a b c d")
        let key = String(repeating: "k", count: 255)
        #expect(try await service.operations(move, ["Idempotency-Key": key]).status == 200)
        #expect(
            try await service.operations(move, ["Idempotency-Key": "\"\(key)\""]).field("Idempotency-Replayed")
                == "true")
        #expect(try await service.operations(move, ["Idempotency-Key": "a", "Idempotency-Key": "a"]).status == 400)
    }
}
