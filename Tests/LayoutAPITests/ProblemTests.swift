import HTTP1
import LayoutApplication
import LayoutModel
import LayoutTesting
import Testing

@testable import LayoutAPI

@Suite struct ProblemTests {
    @Test func aProblemSaysWhatHappenedInTheFormOfRFC9457() async throws {
        let service = try await TestService("a b c d")
        let reply = try await service.operations(#"{"op":"remove","id":"h"},{"op":"move","id":"a","at":{"index":4}}"#)
        #expect(reply.status == 409)
        #expect(reply.field("Content-Type") == "application/problem+json")
        #expect(reply.field("Cache-Control") == "no-store")
        #expect(reply.tag == #""1""#)
        #expect(
            reply.text
                == #"{"type":"/docs#index_out_of_range","title":"Index out of range","status":409,"detail":"In this list the index is 0 to 3, not 4.","#
                + #""instance":"/v1/users/u1/layout/operations","code":"index_out_of_range","requestId":"0000000000000000","params":{"index":4,"min":0,"max":3},"operationIndex":1,"#
                + #""currentVersion":1,"current":{"userId":"u1","version":1,"customized":true,"locked":false,"updatedAt":"2026-11-30T08:00:00.000Z","#
                + #""catalogRevision":1,"favorites":["a","b","c","d"]}}"#)
    }

    @Test func theInstanceIsAURIReference() async throws {
        let service = try await TestService("a b")
        let reply = try await service.send(.delete, "/v1/users/%C3%A9%20%22%5C/layout?platform=ios")
        #expect(reply.json["instance"]?.text == "/v1/users/%C3%A9%20%22%5C/layout")
        #expect(try await service.get("/%00%0A%FF").json["instance"]?.text == "/%00%0A%FF")
    }

    @Test func theCurrentLayoutIsTheOneThatThisClientSees() async throws {
        let service = try await TestService(
            "a b c", catalog: catalogText(["b": #""availability": {"platforms": ["ios"]}"#]))
        let reply = try await service.operations(
            #"{"op":"move","id":"a","at":{"index":2}}"#, query: "?platform=android")
        #expect(reply.code == "index_out_of_range")
        #expect(reply.favorites == "a c")
        #expect(reply.tag == #""1+c1""#)
    }

    @Test func onlyConflictsAndFailedConditionsBringTheLayout() async throws {
        let service = try await TestService("a b", catalog: catalogText(["b": #""movable": false"#]))
        for reply in [
            try await service.operations(#"{"op":"move","id":"b","at":{"index":0}}"#), try await service.put("b a"),
            try await service.put("a a", ["If-Match": "*"]), try await service.layout("me"),
            try await service.get("/nowhere"),
        ] {
            #expect(reply.json["current"] == nil)
            #expect(reply.tag == nil)
        }
    }

    /// Every case of `Refusal`, by the table of rules.md.
    static let refusals: [(Refusal, Int, String, String)] = [
        (.invalidIndex(-1), 400, "invalid_index", #"{"index":-1}"#),
        (.anchorIsSelf(.x), 400, "anchor_is_self", #"{"id":"x"}"#),
        (.emptyBlock, 400, "invalid_value", "{}"),
        (.tooManyOperations(count: 101, limit: 100), 400, "too_many_operations", #"{"limit":100,"requested":101}"#),
        (.unknownList, 428, "precondition_required", "{}"),
        (.unknownFunction(.x), 422, "unknown_function", #"{"id":"x"}"#),
        (.functionUnavailable(.x), 422, "function_unavailable", #"{"id":"x"}"#),
        (.itemNotMovable(.x), 422, "item_not_movable", #"{"id":"x"}"#),
        (.itemNotRemovable(.x), 422, "item_not_removable", #"{"id":"x"}"#),
        (.slotPinned(2, by: .x), 422, "slot_pinned", #"{"slot":2,"id":"x"}"#),
        (.sectionFixed("fin\"ance"), 422, "section_fixed", #"{"section":"fin\"ance"}"#),
        (.duplicateItem(.x, indexes: [0, 2]), 422, "duplicate_item", #"{"id":"x","indexes":[0,2]}"#),
        (.pinnedItemMissing(.x, slot: 3), 422, "pinned_item_missing", #"{"id":"x","slot":3}"#),
        (.requiredItemMissing(.x), 422, "required_item_missing", #"{"id":"x"}"#),
        (
            .favoritesLimit(limit: 12, requested: 13, scope: .step), 409, "favorites_limit",
            #"{"limit":12,"requested":13}"#
        ),
        (
            .favoritesLimit(limit: 12, requested: 13, scope: .wholeList), 422, "favorites_limit",
            #"{"limit":12,"requested":13}"#
        ),
        (
            .favoritesMinimum(minimum: 1, requested: 0, scope: .step), 409, "favorites_minimum",
            #"{"minimum":1,"requested":0}"#
        ),
        (
            .favoritesMinimum(minimum: 1, requested: 0, scope: .wholeList), 422, "favorites_minimum",
            #"{"minimum":1,"requested":0}"#
        ),
        (.indexOutOfRange(index: 4, maximum: 3), 409, "index_out_of_range", #"{"index":4,"min":0,"max":3}"#),
        (.indexOutOfRange(index: 0, maximum: -1), 409, "index_out_of_range", #"{"index":0,"min":0,"max":-1}"#),
        (.notAFavorite(.x), 409, "not_a_favorite", #"{"id":"x"}"#),
        (.anchorAbsent(.x), 409, "anchor_absent", #"{"id":"x"}"#),
        (.layoutLocked, 409, "layout_locked", "{}"),
        (.baseExpired(1, as: .base, oldest: 7, newest: 9), 409, "base_expired", #"{"baseVersion":1}"#),
        (
            .baseExpired(.max, as: .target, oldest: nil, newest: 0), 409, "base_expired",
            #"{"toVersion":9223372036854775807}"#
        ),
    ]

    @Test(arguments: refusals)
    func everyRefusalHasItsStatusCodeAndParameters(refusal: Refusal, status: Int, code: String, params: String) {
        let problem = Problem(Rejection(refusal, operationIndex: 2))
        #expect(problem.status.code == status)
        #expect(problem.code.rawValue == code)
        #expect(problem.operationIndex == 2)
        #expect(problem.detail.hasSuffix("."))
        #expect(!problem.code.title.isEmpty)
        var json = JSONWriter()
        json.object { $0.parameters(problem.params) }
        #expect(String(decoding: json.octets, as: UTF8.self) == params)
    }

    @Test(arguments: [
        (StoreError.busy, 503, "busy"), (.unavailable(reason: "SQLITE_FULL at /data"), 503, "storage_unavailable"),
        (.closed, 503, "draining"),
        (.damaged(what: "row of u1"), 500, "damaged_record"),
    ])
    func aStoreThatFailsIsSaidWithoutItsReason(error: StoreError, status: Int, code: String) async throws {
        let store = BrokenStore()
        let service = try await TestService(store: store)
        store.breakDown(with: error)
        for reply in [
            try await service.layout(), try await service.get("/v1/users/u1/page"),
            try await service.operations(#"{"op":"add","id":"a"}"#),
            try await service.send(.put, "/v1/catalog", ["If-Match": "*"], catalogText()),
            try await service.get("/v1/catalog/revisions"),
            try await service.get("/v1/catalog/revisions/1"),
            try await service.send(.put, "/v1/catalog?validateOnly", ["If-Match": "*"], catalogText()),
        ] {
            #expect(reply.status == status)
            #expect(reply.code == code)
            #expect((reply.field("Retry-After") != nil) == (status == 503))
            #expect(!reply.text.contains("SQLITE") && !reply.text.contains("row of"))
        }
        let incident = service.exchanges.last?.unforeseen
        #expect((incident != nil) == (error != .busy && error != .closed))
        #expect(service.exchanges.last?.isStorageFault == (incident != nil))
    }

    @Test func whatNobodyForesawIsABare500ThatOnlyTheLogExplains() async throws {
        struct Unforeseen: Error { let secret = "password" }
        let store = BrokenStore()
        let service = try await TestService(store: store)
        store.breakDown(with: Unforeseen())
        let before = service.exchanges.count
        let reply = try await service.layout()
        #expect(reply.status == 500)
        #expect(
            reply.text
                == #"{"type":"/docs#internal_error","title":"Internal error","status":500,"detail":"Something went wrong here. The request can be repeated; the log has the cause.","#
                + #""instance":"/v1/users/u1/layout","code":"internal_error","requestId":"0000000000000000"}"#)
        #expect(service.exchanges.count == before + 1)
        let exchange = try #require(service.exchanges.last)
        #expect(exchange.unforeseen?.contains("password") == true)
        #expect(!exchange.isStorageFault)
        #expect(exchange.status == 500)
        #expect(exchange.operation?.description == "getLayout")
    }

    @Test func everyAnswerIsLoggedOnceWithItsOperation() async throws {
        let service = try await TestService("a b")
        let before = service.exchanges.count
        _ = try await service.layout()
        _ = try await service.put("b a")
        _ = try await service.get("/nowhere")
        _ = try await service.send(.options, "/livez")
        _ = try await service.layout("me")
        let exchanges = service.exchanges[before...]
        let layout = "/v1/users/{user}/layout"
        #expect(exchanges.map(\.status) == [200, 428, 404, 204, 400])
        #expect(exchanges.map { $0.operation?.description } == ["getLayout", "putLayout", nil, nil, "getLayout"])
        #expect(exchanges.allSatisfy { $0.unforeseen == nil && $0.nanoseconds > 0 })
        #expect(exchanges.map(\.route) == [layout, layout, nil, nil, layout])
    }

    @Test func whatIsTooLargeSaysHowMuchIsTaken() async throws {
        let service = try await TestService()
        let reply = Reply(service.api.answer(ProtocolError(.contentTooLarge, "Too many octets", limit: 65_536)))
        #expect(reply.json["detail"]?.text == "Too many octets: at most 65536.")
        #expect(reply.json["params"]?["limit"]?.number == 65_536)
    }

    /// An answer is not to be made as large as its request.
    @Test func whatAClientSaidIsRepeatedInPart() async throws {
        let service = try await TestService("a b")
        let long = String(repeating: "ö/", count: 10_000)
        let cut = String(repeating: "ö/", count: 32) + "…"
        let path = "/v1/users/u1/layout"
        let field = try await service.send(.put, path, ["If-Match": "*"], #"{"\#(long)": 1}"#)
        #expect(field.code == "unknown_field")
        #expect(field.json["detail"]?.text == "'\(cut)' is no field here; known are favorites, baseVersion.")
        #expect(field.json["pointer"]?.text == "/" + String(repeating: "ö~1", count: 32) + "…")
        let twice = try await service.send(.put, path, ["If-Match": "*"], #"{"\#(long)": 1, "\#(long)": 1}"#)
        #expect(twice.code == "duplicate_field")
        let operation = try await service.operations(#"{"op": "\#(long)"}"#)
        #expect(operation.json["detail"]?.text == "An op is 'move', 'add' or 'remove', not '\(cut)'.")
        let section = try await service.operations(
            #"{"op": "add", "id": "c", "at": {"index": 0, "section": "\#(long)"}}"#)
        #expect(section.code == "section_fixed")
        let ascii = String(repeating: "x", count: 4_000)
        let queries = [
            "\(path)?\(ascii)", "\(path)?appVersion=\(ascii)", "\(path)/revisions?pageSize=\(ascii)",
            "\(path)?validateOnly=\(ascii)",
        ]
        for query in queries { #expect(try await service.get(query).text.utf8.count < ascii.utf8.count + 600) }
        for reply in [field, twice, operation, section] { #expect(reply.text.utf8.count < 1_500) }
        #expect("abc".excerpt == "abc")
        #expect(String(repeating: "é", count: 64).excerpt.utf8.count == 128)
    }

    @Test(arguments: [
        (ProtocolError(.contentTooLarge, "The content is too large"), 413, "content_too_large"),
        (.init(.uriTooLong, "x"), 414, "uri_too_long"),
        (.init(.fieldsTooLarge, "x"), 431, "fields_too_large"), (.requestTimeout, 408, "request_timeout"),
        (.incomplete, 400, "malformed_request"),
        (.init(.versionNotSupported, "x"), 505, "version_not_supported"),
        (.init(.expectationFailed, "x"), 417, "expectation_failed"),
        (.init(.notImplemented, "x"), 501, "not_implemented"), (.init(.serviceUnavailable, "x"), 503, "unavailable"),
    ])
    func aMessageThatIsNotUnderstoodIsAProblemToo(error: ProtocolError, status: Int, code: String) async throws {
        let service = try await TestService()
        let reply = Reply(service.api.answer(error))
        #expect(reply.status == status)
        #expect(reply.code == code)
        #expect(reply.json["detail"]?.text == "\(error.reason).")
        #expect(reply.json["instance"] == nil)
        #expect(reply.field("Content-Type") == "application/problem+json")
        #expect(service.exchanges.last?.status == status)
    }
}

extension FunctionID {
    fileprivate static let x: FunctionID = "x"
}
