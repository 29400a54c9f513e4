import HTTP1
import LayoutAPI
import Testing

@Suite struct OperationsTests {
    @Test(arguments: [
        (#"{"op":"move","id":"a","at":{"index":3}}"#, "b c d a"),
        (#"{"op":"move","id":"a","at":{"after":"c"}}"#, "b c a d"),
        (#"{"op":"move","id":"d","at":{"before":"b"}}"#, "a d b c"),
        (#"{"op":"move","ids":["d","b"],"at":{"edge":"first"}}"#, "d b a c"),
        (#"{"op":"move","id":"a","at":{"edge":"last","section":"favorites"}}"#, "b c d a"),
        (#"{"op":"add","id":"h"}"#, "a b c d h"),
        (#"{"op":"add","id":"h","at":{"index":0}}"#, "h a b c d"),
        (#"{"op":"add","id":"a","at":{"edge":"last"}}"#, "b c d a"),
        (#"{"op":"remove","id":"b"}"#, "a c d"), (#"{"op":"move","id":"a","at":{"index":-0}}"#, "a b c d"),
        (
            #"{"op":"move","id":"d","at":{"index":0}},{"op":"remove","id":"a"},{"op":"add","id":"h","at":{"after":"d"}}"#,
            "d h b c"
        ),
        ("", "a b c d"),
    ])
    func operationsAreAppliedInOrder(operations: String, list: String) async throws {
        let service = try await TestService("a b c d")
        let reply = try await service.operations(operations)
        #expect(reply.status == 200)
        #expect(reply.favorites == list)
        #expect(reply.changed == (list != "a b c d"))
        #expect(reply.version == (list == "a b c d" ? 1 : 2))
        #expect(reply.tag == (list == "a b c d" ? #""1""# : #""2""#))
        #expect(try await service.layout().favorites == list)
    }

    @Test func theAnswerHasAnOutcomeForEachOperation() async throws {
        let service = try await TestService("a b c d")
        let reply = try await service.operations(
            #"{"op":"move","id":"d","at":{"index":0}},{"op":"remove","id":"z1"},{"op":"move","ids":["a","b"],"at":{"edge":"last"}}"#
        )
        #expect(reply.code == "unknown_function")
        #expect(reply.json["operationIndex"]?.number == 1)
        let applied = try await service.operations(
            #"{"op":"move","id":"d","at":{"index":0}},{"op":"remove","id":"h"},{"op":"move","ids":["a","b"],"at":{"edge":"last"}}"#
        )
        #expect(
            applied.text.hasSuffix(
                #""changed":true,"outcomes":[{"op":"move","id":"d","result":"applied"},{"op":"remove","id":"h","result":"unchanged"},"#
                    + #"{"op":"move","ids":["a","b"],"result":"applied"}]}"#))
    }

    @Test(arguments: [
        (#"{"op":"move","id":"a","at":{"indx":1}}"#, "unknown_field", "/at/indx"),
        (#"{"op":"move","id":"a","at":{"index":1},"to":1}"#, "unknown_field", "/to"),
        (#"{"op":"add","ids":["a"]}"#, "unknown_field", "/ids"),
        (#"{"op":"remove","id":"a","at":{"index":0}}"#, "unknown_field", "/at"),
        (#"{"op":"swap","id":"a"}"#, "invalid_value", "/op"), (#"{"op":1}"#, "invalid_value", "/op"),
        (#"{"id":"a"}"#, "missing_field", "/op"), ("7", "invalid_value", ""),
        (#"{"op":"move","id":"a"}"#, "missing_field", "/at"), (#"{"op":"add"}"#, "missing_field", "/id"),
        (#"{"op":"move","at":{"index":1}}"#, "invalid_value", ""),
        (#"{"op":"move","id":"a","from":1,"at":{"index":1}}"#, "invalid_value", ""),
        (#"{"op":"move","id":"a","ids":[],"at":{"index":1}}"#, "invalid_value", ""),
        (#"{"op":"move","ids":[],"at":{"index":1}}"#, "invalid_value", "/ids"),
        (#"{"op":"move","ids":"a","at":{"index":1}}"#, "invalid_value", "/ids"),
        (#"{"op":"move","id":"a","at":null}"#, "invalid_at", "/at"),
        (#"{"op":"move","id":"a","at":2}"#, "invalid_at", "/at"),
        (#"{"op":"move","id":"a","at":{}}"#, "invalid_at", "/at"),
        (#"{"op":"move","id":"a","at":{"index":1,"edge":"last"}}"#, "invalid_at", "/at"),
        (#"{"op":"move","id":"a","at":{"section":"favorites"}}"#, "invalid_at", "/at"),
        (#"{"op":"move","id":"a","at":{"edge":"middle"}}"#, "invalid_at", "/at/edge"),
        (#"{"op":"move","id":"a","at":{"edge":1}}"#, "invalid_at", "/at/edge"),
        (#"{"op":"add","id":"h","at":null}"#, "invalid_at", "/at"),
        (#"{"op":"move","id":"a","at":{"index":"1"}}"#, "invalid_index", "/at/index"),
        (#"{"op":"move","id":"a","at":{"index":1.0}}"#, "invalid_index", "/at/index"),
        (#"{"op":"move","id":"a","at":{"index":1e0}}"#, "invalid_index", "/at/index"),
        (#"{"op":"move","id":"a","at":{"index":null}}"#, "invalid_index", "/at/index"),
        (#"{"op":"move","id":"a","at":{"index":-1}}"#, "invalid_index", "/at/index"),
        (#"{"op":"move","id":"a","at":{"index":99999999999999999999}}"#, "invalid_index", "/at/index"),
        (#"{"op":"move","from":-1,"at":{"index":1}}"#, "invalid_index", "/from"),
        (#"{"op":"move","from":"0","at":{"index":1}}"#, "invalid_index", "/from"),
        (#"{"op":"move","id":"b","at":{"before":"b"}}"#, "anchor_is_self", "/at/before"),
        (#"{"op":"move","ids":["c","b"],"at":{"after":"b"}}"#, "anchor_is_self", "/at/after"),
        (#"{"op":"add","id":"h","at":{"after":"h"}}"#, "anchor_is_self", "/at/after"),
        (#"{"op":"move","id":"a","at":{"after":""}}"#, "invalid_value", "/at/after"),
        (#"{"op":"move","id":"a","at":{"index":1,"section":7}}"#, "invalid_value", "/at/section"),
    ])
    func whatIsWrongInAnyStateIsRefusedWithItsPlace(operation: String, code: String, pointer: String) async throws {
        let service = try await TestService("a b c d")
        let reply = try await service.operations(#"{"op":"remove","id":"a"},\#(operation)"#)
        #expect(reply.status == 400)
        #expect(reply.code == code)
        #expect(reply.json["pointer"]?.text == "/operations/1\(pointer)")
        #expect(reply.json["operationIndex"]?.number == 1)
        #expect(reply.json["current"] == nil)
        #expect(try await service.layout().version == 1)
    }

    @Test func aHundredOperationsAreTakenAndOneMoreIsNot() async throws {
        let service = try await TestService("a b c d")
        let move = #"{"op":"move","id":"a","at":{"edge":"last"}}"#
        #expect(try await service.operations(Array(repeating: move, count: 100).joined(separator: ",")).status == 200)
        let reply = try await service.operations(Array(repeating: move, count: 101).joined(separator: ","))
        #expect(reply.status == 400)
        #expect(reply.code == "too_many_operations")
        #expect(reply.json["params"]?["limit"]?.number == 100)
        #expect(reply.json["params"]?["requested"]?.number == 101)
        #expect(try await service.layout().version == 2)
    }

    @Test(arguments: [
        #"{"operations":[],"validateOnly":true}"#, #"{"operations":{}}"#, #"{"op":"add","id":"h"}"#, "[]",
    ])
    func contentThatIsNoRequestIsRefused(content: String) async throws {
        let service = try await TestService("a b c d")
        #expect(try await service.send(.post, "/v1/users/u1/layout/operations", [:], content).status == 400)
    }

    @Test func aHugeIndexIsOutOfRangeAndNothingElse() async throws {
        let service = try await TestService("a b c d")
        for index in [4, 5, Int.max] {
            for operation in [
                #"{"op":"move","id":"a","at":{"index":\#(index)}}"#,
                #"{"op":"move","from":\#(index),"at":{"index":0}}"#,
            ] {
                let reply = try await service.operations(operation, ["If-Match": "\"1\""])
                #expect(reply.status == 409)
                #expect(reply.code == "index_out_of_range")
                #expect(reply.json["params"]?["min"]?.number == 0)
                #expect(reply.json["params"]?["max"]?.number == 3)
            }
        }
        let empty = try await TestService("")
        #expect(
            try await empty.operations(#"{"op":"move","from":0,"at":{"index":0}}"#, base: 1).code
                == "index_out_of_range")
    }

    // MARK: Rebase

    @Test func aStaleEditIsCarriedOver() async throws {
        let service = try await TestService("a b c d")
        _ = try await service.operations(#"{"op":"add","id":"e"}"#)
        let reply = try await service.operations(#"{"op":"move","id":"d","at":{"before":"a"}}"#, base: 1)
        #expect(reply.favorites == "d a b c e")
        #expect(reply.version == 3)
        #expect(reply.json["rebasedFrom"]?.number == 1)
        #expect(reply.outcomes == ["applied"])
    }

    @Test func withoutAConcurrentChangeNothingIsSaidOfARebase() async throws {
        let service = try await TestService("a b c d")
        let reply = try await service.operations(#"{"op":"move","id":"d","at":{"index":0}}"#, base: 1)
        #expect(reply.favorites == "d a b c")
        #expect(reply.json["rebasedFrom"] == nil)
    }

    @Test func aBlocksGoneItemsAreNamed() async throws {
        let service = try await TestService("a b c d e")
        _ = try await service.operations(#"{"op":"remove","id":"b"}"#)
        let reply = try await service.operations(#"{"op":"move","ids":["d","b"],"at":{"edge":"first"}}"#, base: 1)
        #expect(reply.favorites == "d a c e")
        #expect(reply.json["outcomes"]?[0]?["ids"]?.texts == ["d"])
        #expect(reply.json["outcomes"]?[0]?["absent"]?.texts == ["b"])
    }

    @Test func aSubstitutedAnchorIsNamed() async throws {
        let service = try await TestService("a b c d e")
        _ = try await service.operations(#"{"op":"remove","id":"c"}"#)
        let reply = try await service.operations(#"{"op":"move","id":"e","at":{"after":"c"}}"#, base: 1)
        #expect(reply.outcomes == ["anchor_substituted"])
        #expect(reply.json["outcomes"]?[0]?["at"]?["after"]?.text == "b")
    }

    @Test func aWholeListIsMergedWhereItNamesItsBase() async throws {
        let service = try await TestService("a b c d")
        _ = try await service.operations(#"{"op":"add","id":"e"}"#)
        let reply = try await service.put("d a b c", base: 1)
        #expect(reply.favorites == "d a b c e")
        #expect(reply.json["rebasedFrom"]?.number == 1)
        #expect(reply.outcomes == ["applied"])
    }

    @Test func bothConditionsAreHeld() async throws {
        let service = try await TestService("a b c d")
        _ = try await service.operations(#"{"op":"add","id":"e"}"#)
        #expect(
            try await service.operations(#"{"op":"move","id":"d","at":{"index":0}}"#, ["If-Match": #""1""#], base: 1)
                .status == 412)
        #expect(
            try await service.operations(#"{"op":"move","id":"d","at":{"index":0}}"#, ["If-Match": #""2""#], base: 1)
                .status == 200)
    }
}
