import HTTP1
import LayoutAPI
import Testing

/// What is wrong with one request at once is answered in one order, whatever the pair.
@Suite struct OrderOfChecksTests {
    /// In the order of api.md.
    enum Fault: Int, CaseIterable {
        case path, method, contentType, accept, query, user, json, key, condition, conditionMissing, lock, policy, state

        var answer: String {
            switch self {
            case .path: "404 not_found"
            case .method: "405 method_not_allowed"
            case .contentType: "415 unsupported_media_type"
            case .accept: "406 not_acceptable"
            case .query: "400 invalid_parameter"
            case .user: "400 invalid_user"
            case .json: "400 invalid_json"
            case .key: "422 idempotency_key_reused"
            case .condition: "412 precondition_failed"
            case .conditionMissing: "428 precondition_required"
            case .lock: "409 layout_locked"
            case .policy: "422 item_not_movable"
            case .state: "409 index_out_of_range"
            }
        }

        /// What is wrong in any state is one step of the order; within it nothing is promised.
        var step: Int {
            switch self {
            case .user, .json: Fault.query.rawValue
            default: rawValue
            }
        }
    }

    private func answer(to faults: Set<Fault>) async throws -> String {
        let service = try await TestService("P a b c", catalog: catalogText(["P": #""movable": false"#]))
        _ = try await service.operations("", ["Idempotency-Key": "used"])
        if faults.contains(.lock) { try await service.lock(true) }
        let tag = try #require(try await service.layout().tag)

        let index = faults.contains(.state) ? 99 : 2
        var operations: [String] = []
        // A slot has to be counted in a list that the request names.
        if faults.contains(.conditionMissing) { operations.append(#"{"op":"move","from":1,"at":{"index":1}}"#) }
        operations.append(#"{"op":"move","id":"\#(faults.contains(.policy) ? "P" : "a")","at":{"index":\#(index)}}"#)
        var content = #"{"operations":[\#(operations.joined(separator: ","))]}"#
        if faults.contains(.json) { content += "}" }

        var fields = Fields()
        fields.append(name: "Content-Type", value: faults.contains(.contentType) ? "text/plain" : "application/json")
        if faults.contains(.accept) { fields.append(name: "Accept", value: "text/html") }
        if faults.contains(.key) { fields.append(name: "Idempotency-Key", value: "used") }
        if faults.contains(.condition) { fields.append(name: "If-None-Match", value: "*") }
        if !faults.contains(.conditionMissing) { fields.append(name: "If-Match", value: tag) }
        let user = faults.contains(.user) ? "me" : "u1"
        let path = "/v1/users/\(user)/layout/\(faults.contains(.path) ? "nowhere" : "operations")"
        let request = try Request(
            faults.contains(.method) ? .patch : .post, faults.contains(.query) ? "\(path)?unknown=1" : path,
            fields: fields,
            content: Array(content.utf8))
        return describe(Reply(await service.respond(to: request)))
    }

    private func describe(_ reply: Reply) -> String { "\(reply.status) \(reply.code ?? "ok")" }

    @Test func aRequestWithoutFaultIsCarriedOut() async throws {
        #expect(try await answer(to: []) == "200 ok")
    }

    @Test(arguments: Fault.allCases)
    func oneFaultIsAnswered(fault: Fault) async throws {
        // A key is looked up under its user: without a user there is none.
        #expect(try await answer(to: [fault]) == fault.answer)
    }

    @Test(arguments: Fault.allCases, Fault.allCases)
    func ofTwoFaultsTheEarlierIsAnswered(first: Fault, second: Fault) async throws {
        guard first.step < second.step else { return }
        #expect(try await answer(to: [first, second]) == first.answer)
    }

    @Test func withAllFaultsAtOnceTheyAppearOneByOne() async throws {
        var faults = Set(Fault.allCases)
        for fault in Fault.allCases {
            #expect(try await answer(to: faults).hasPrefix(fault.answer.prefix(3)))
            faults.remove(fault)
        }
    }

    @Test func whatIsWrongInAnyStateComesBeforeTheStateIsLookedAt() async throws {
        let service = try await TestService("a b c")
        _ = try await service.operations("", ["Idempotency-Key": "used"])
        try await service.lock(true)
        for (operation, code) in [
            (#"{"op":"move","id":"a","at":{"before":"a"}}"#, "anchor_is_self"),
            (#"{"op":"move","id":"a","at":{"index":-1}}"#, "invalid_index"),
            (#"{"op":"move","ids":[],"at":{"index":0}}"#, "invalid_value"),
            (#"{"op":"move","id":"a","at":{}}"#, "invalid_at"),
            (Array(repeating: #"{"op":"remove","id":"a"}"#, count: 101).joined(separator: ","), "too_many_operations"),
        ] {
            let reply = try await service.operations(operation, ["If-Match": #""0""#, "Idempotency-Key": "used"])
            #expect(reply.status == 400)
            #expect(reply.code == code)
        }
        // A malformed condition is such a fault too.
        #expect(
            try await service.put("a a", ["If-Match": "0", "Idempotency-Key": "used"]).code == "malformed_validator")
    }
}
