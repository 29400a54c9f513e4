import HTTP1
import LayoutAPI
import Testing

/// Whatever a client sends: never a 500, and every refusal is a problem with its own status.
@Suite struct RandomRequestsTests {
    private static let methods: [Method] = [
        .get, .get, .head, .post, .post, .put, .put, .delete, .patch, .options, .other,
    ]
    private static let paths = [
        "/v1/users/u1/layout", "/v1/users/u1/layout/operations", "/v1/users/u1/layout/operations",
        "/v1/users/%FF/layout",
        "/v1/users/me/layout/operations", "/v1/users/u1/layout/favorites/a", "/v1/users/u1/layout/favorites/P",
        "/v1/users/u1/layout/favorites/%00", "/v1/users/u1/layout/favorites/b/targets", "/v1/users/u1/page",
        "/v1/catalog",
        "/v1/catalog/revisions", "/v1/catalog/revisions/1", "/v1/catalog/revisions/-9223372036854775809", "/livez",
        "/readyz",
        "/", "/v1//", "/%2e%2E/",
    ]
    private static let queries = [
        "", "", "", "", "?validateOnly=true", "?validateOnly", "?platform=ios&appVersion=10.2",
        "?appVersion=999999999.999999999",
        "?proposed=1000000", "?proposed=0", "?pageSize=1", "?pageToken=999999999999999999", "?%", "?a=%zz", "?=&=",
        "?platform=%00",
        "?verbose",
    ]
    private static let lines: [(StaticString, [String])] = [
        ("If-Match", ["*", #""1""#, #""2", "3""#, #"W/"1""#, "1", "", #"""""#, #""1+gzip""#, "\"é\"", #""+gzip""#]),
        ("If-None-Match", ["*", #""1""#, #"W/"1""#, "x", #""1.1.en""#]),
        ("Idempotency-Key", ["k", #""k""#, "\"", "", "a b"]),
        ("Content-Type", ["application/json", "application/json", "application/json;x", "text/plain", ""]),
        ("Accept", ["*/*", "application/json", "text/html", ";;,;q", "a;q=0.0000"]),
        ("Accept-Encoding", ["gzip", "*", "gzip;q=", ",,"]),
        ("Accept-Language", ["de", "-", "--,;q=", "zh-x-y-z", "*;q=0"]),
    ]
    private static let values = [
        "0", "-1", "3", "9223372036854775807", "-9223372036854775808", "1e999999999", "1.0", "null", "true", #""a""#,
        #""P""#, #""""#, "[]",
        "{}", #"{"index":0}"#, #"{"index":9223372036854775807}"#, #"{"before":"P"}"#, #"{"after":"a","section":"x"}"#,
        #"{"edge":"last"}"#,
        #"["a","b","P"]"#, #"["a","a"]"#, #"["zz"]"#, "\"\\ud800\"", "[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]",
    ]
    private static let places = [
        #"{"index":0}"#, #"{"index":1}"#, #"{"index":2}"#, #"{"index":9}"#, #"{"edge":"first"}"#, #"{"edge":"last"}"#,
        #"{"before":"P"}"#, #"{"after":"a"}"#, #"{"after":"h"}"#, #"{"before":"c","section":"favorites"}"#,
    ]
    private static let names = [
        "op", "id", "ids", "from", "at", "favorites", "operations", "baseVersion", "index", "policy", "x",
    ]

    @Test(arguments: 1...8) func nothingThatAClientSendsIsA500(seed: UInt64) async throws {
        var random = Random(state: seed)
        let service = try await TestService(
            "a b P c d", catalog: catalogText(["P": #""pin": 2"#, "b": #""removable": false"#]))
        var statuses: Set<Int> = []
        for _ in 1...1_000 {
            var fields = Fields()
            for (name, values) in Self.lines where random.next(12) == 0 {
                for _ in 0...random.next(2) { fields.append(name: name, value: random.element(of: values)) }
            }
            if !fields.contains("Content-Type") { fields.append(name: "Content-Type", value: "application/json") }
            // Half of them go where most can go wrong.
            let isOrdinary = random.next(2) == 0
            let path = isOrdinary ? "/v1/users/u1/layout/operations" : random.element(of: Self.paths)
            let target = path + (random.next(4) == 0 ? random.element(of: Self.queries) : "")
            let content = random.next(4) == 0 ? [] : Array(content(&random).utf8)
            let method = isOrdinary ? .post : random.element(of: Self.methods)
            // What the parser refuses never comes here.
            guard let request = try? Request(method, target, fields: fields, content: content) else { continue }
            let reply = Reply(await service.respond(to: request))
            let said =
                "\(method) \(target) \(String(decoding: fields.octets, as: UTF8.self)) \(String(decoding: content, as: UTF8.self))"
            #expect(reply.status != 500 && reply.status != 503, "\(said)")
            statuses.insert(reply.status)
            if reply.status >= 400 {
                #expect(reply.json["status"]?.number == reply.status, "\(said)")
                #expect(reply.json["code"]?.text?.isEmpty == false, "\(said)")
                #expect(reply.field("Content-Type") == "application/problem+json")
            }
        }
        #expect(statuses.isSuperset(of: [200, 400, 404, 405, 409, 415, 422]), "\(statuses.sorted())")
        // No id was lost, doubled or made up on the way.
        let list = try #require(try await service.layout().layout["favorites"]?.texts)
        #expect(Set(list).count == list.count)
    }

    private func content(_ random: inout Random) -> String {
        func object(_ random: inout Random, _ names: [String]) -> String {
            "{" + names.map { "\"\($0)\":\(random.element(of: Self.values))" }.joined(separator: ",") + "}"
        }
        let operations = (0...random.next(3)).map { _ -> String in
            let op = random.element(of: [#""move""#, #""move""#, #""add""#, #""remove""#, "1"])
            if random.next(8) == 0 {
                return "{\"op\":\(op),\(object(&random, Self.names.filter { _ in random.next(4) == 0 }).dropFirst())"
            }
            let subject = #""id":\#(random.element(of: ["a", "b", "c", "P", "h", "i", "zz"].map { "\"\($0)\"" }))"#
            if op == #""remove""# { return "{\"op\":\(op),\(subject)}" }
            let place = random.element(of: random.next(4) == 0 ? Self.values : Self.places)
            return "{\"op\":\(op),\(subject),\"at\":\(place)}"
        }
        switch random.next(4) {
        case 0: return object(&random, Self.names.filter { _ in random.next(3) == 0 })
        case 1: return #"{"favorites":\#(random.element(of: Self.values)),"baseVersion":\#(random.next(4))}"#
        default:
            let base = random.next(2) == 0 ? #""baseVersion":\#(random.next(40)),"# : ""
            let text = #"{\#(base)"operations":[\#(operations.joined(separator: ","))]}"#
            return random.next(8) == 0 ? String(text.dropLast(random.next(text.count))) : text
        }
    }
}

/// SplitMix64: the same numbers for the same seed.
private struct Random {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }

    mutating func element<Element>(of all: [Element]) -> Element { all[next(all.count)] }
}
