import HTTP1
import LayoutApplication
import LayoutModel
import LayoutTesting
import Locking
import Testing

@testable import LayoutAPI

/// A content that comes in pieces, and may end before it is whole.
private final class Pieces: ContentReader {
    private let rest: Mutex<[[UInt8]]>
    private let failure: (any Error)?

    init(_ pieces: [[UInt8]], failure: (any Error)? = nil) {
        rest = Mutex(pieces)
        self.failure = failure
    }

    func read() async throws -> [UInt8]? {
        if let piece = rest.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return piece }
        if let failure { throw failure }
        return nil
    }
}

/// Keeps what is written.
private final class Written: ContentWriter {
    private let octets = Mutex<[UInt8]>([])

    func write(_ bytes: [UInt8]) async throws { octets.withLock { $0 += bytes } }

    var text: String { String(decoding: octets.withLock { $0 }, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
}

extension TestService {
    /// The lines of a streamed answer; the whole answer where it is none.
    fileprivate func lines(_ answer: Answer) async throws -> [String] {
        let response = await answer.response
        guard case .stream(let body) = response.content else { return [Reply(response).text] }
        #expect(response.status == .ok)
        #expect(response.fields.first("Content-Type") == "application/x-ndjson")
        let written = Written()
        try await body(written)
        #expect(written.text.hasSuffix("\n"))
        return written.lines
    }

    fileprivate func export(_ query: String = "") async throws -> [String] {
        try await lines(api.answer(try Request(.get, "/v1/admin/export\(query)")))
    }

    fileprivate func takeIn(
        _ content: any ContentReader, type: String = "application/x-ndjson"
    ) async throws
        -> [String]
    {
        var fields = Fields()
        fields.append(name: "Content-Type", value: type)
        let head = try Request(.post, "/v1/admin/import", fields: fields)
        guard case .pieces(let handler) = api.delivery(for: head) else { return ["not taken in pieces"] }
        return try await lines(handler(head, content))
    }

    fileprivate func takeIn(_ text: String) async throws -> [String] {
        try await takeIn(Pieces([Array(text.utf8)]))
    }
}

@Suite struct TransferTests {
    @Test func anExportEndsWithHowManyThereWere() async throws {
        let service = try await TestService()
        #expect(try await service.export() == [#"{"exported":0}"#])
        try await service.store("a b", for: "u1")
        try await service.store(nil, for: "u2", locked: true)
        let lines = try await service.export()
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix(#"{"userId":"u1","version":1,"customized":true,"locked":false,"#))
        #expect(lines[0].hasSuffix(#""favorites":["a","b"]}"#))
        #expect(lines[1].hasSuffix(#""favorites":null}"#))
        #expect(lines[2] == #"{"exported":2}"#)
    }

    @Test func anExportGoesOnBehindAUser() async throws {
        let service = try await TestService()
        for number in 1...1_203 { try await service.store("a", for: "user-\(1_000 + number)") }
        let all = try await service.export()
        #expect(all.count == 1_204)
        #expect(Set(all).count == 1_204, "each once, over three pages")
        let rest = try await service.export("?after=user-2200")
        #expect(rest.dropLast() == all.dropLast().suffix(3))
        #expect(rest.last == #"{"exported":3}"#)
        #expect(try await service.export("?after=") != rest)
        #expect(try await service.get("/v1/admin/export?after=%07").code == "invalid_parameter")
        #expect(try await service.send(.head, "/v1/admin/export").status == 200)
    }

    @Test func whatWasExportedIsTakenInElsewhereAndAgainChangesNothing() async throws {
        let (one, two) = (try await TestService(), try await TestService())
        for number in 0..<1_000 { try await one.store("a c", for: "user-\(number)", locked: number % 7 == 0) }
        try await one.store(nil, for: "u2", locked: true)
        let lines = try await one.export()
        let content = lines.map { Array("\($0)\n".utf8) }
        let results = try await two.takeIn(Pieces(content))
        #expect(results.last == #"{"imported":1001,"unchanged":0,"refused":0}"#)
        #expect(results.count == 1_002)
        #expect(results[0] == #"{"userId":"u2","result":"imported","version":1}"#)
        let without = { (line: String) in line.split(separator: ",").filter { !$0.hasPrefix("\"updatedAt\"") } }
        #expect(try await two.export().map(without) == lines.map(without))
        let again = try await two.takeIn(Pieces([content.flatMap { $0 }]))
        #expect(again.last == #"{"imported":0,"unchanged":1001,"refused":0}"#)
    }

    @Test func aBadLineIsSaidWithItsNumberAndTheOthersAreTaken() async throws {
        let service = try await TestService()
        let results = try await service.takeIn(
            """
            {"userId":"u1","favorites":["a","gone"]}

            no json
            {"userId":"u2","favorites":["a","a"]}
            {"userId":"u3","favourites":[]}
            {"userId":"u4","favorites":["\(String(repeating: "x", count: 4 << 20))"]}
            {"userId":"u5","favorites":[]}
            """)
        #expect(results[0] == #"{"userId":"u1","result":"imported","version":1,"unknown":["gone"]}"#)
        #expect(
            results[1]
                == #"{"line":3,"result":"refused","code":"invalid_json","detail":"A value is expected (octet 0)."}"#)
        #expect(
            results[2]
                == #"{"line":4,"result":"refused","code":"invalid_value","detail":"An id stands in the list twice.","pointer":"/favorites"}"#
        )
        #expect(results[3].hasPrefix(#"{"line":5,"result":"refused","code":"unknown_field""#))
        #expect(results[4].hasPrefix(#"{"line":6,"result":"refused","code":"line_too_long""#))
        #expect(results[5] == #"{"userId":"u5","result":"imported","version":1}"#)
        #expect(results[6] == #"{"imported":2,"unchanged":0,"refused":4}"#)
    }

    /// rules.md, "Versions": a device that knows this version must never meet it as another list's.
    @Test func whoFollowsTheDefaultsAgainKeepsTheVersionElsewhere() async throws {
        let service = try await TestService()
        let line =
            #"{"userId":"u1","version":2,"customized":false,"locked":false,"updatedAt":"2020-01-01T00:00:00.000Z","favorites":null}"#
        let imported = try await service.takeIn(line)
        #expect(imported[0] == #"{"userId":"u1","result":"imported","version":2}"#)
        #expect(try await service.export()[0] == line)
        #expect(try await service.takeIn(line)[0] == #"{"userId":"u1","result":"unchanged","version":2}"#)
        #expect(try await service.send(.put, "/v1/users/u1/layout/favorites/b").tag == #""3""#)
        // Who was never stored there has no version to keep.
        let never = #"{"userId":"u2","version":0,"updatedAt":null,"favorites":null}"#
        #expect(try await service.takeIn(never)[0] == #"{"userId":"u2","result":"unchanged","version":0}"#)
    }

    /// As many favorites as a catalog allows, with the longest ids.
    @Test func theLongestLayoutComesInAsItWentOut() async throws {
        let ids = (0..<1_000).map { number in String(repeating: "x", count: 60) + String(4_000 + number) }
        let catalog = catalogText(ids.joined(separator: " "), defaults: "", limit: 1_000)
        let (one, two) = (try await TestService(catalog: catalog), try await TestService(catalog: catalog))
        try await one.store(ids.joined(separator: " "))
        let lines = try await one.export()
        #expect(lines[0].utf8.count > 64 << 10)
        #expect(
            try await two.takeIn(lines.joined(separator: "\n")).last == #"{"imported":1,"unchanged":0,"refused":0}"#)
        // And a client may send the whole of it back, each id on a line of its own.
        let request = try Request(.put, "/v1/users/u1/layout")
        guard case .whole(let limit) = one.api.delivery(for: request) else { throw Unexpected() }
        let content = "{\n    \"favorites\": [\n" + ids.map { "        \"\($0)\",\n" }.joined() + "    ]\n}\n"
        #expect(content.utf8.count < limit)
        guard case .whole(let other) = one.api.delivery(for: try Request(.post, "/v1/admin/backup")) else {
            throw Unexpected()
        }
        #expect(other == 64 << 10)
    }

    private struct Unexpected: Error {}

    @Test(arguments: [
        (#"{"userId":"u1","version":"abc","favorites":[]}"#, "/version"),
        (#"{"userId":"u1","version":-1,"updatedAt":null,"favorites":[]}"#, "/version"),
        (#"{"userId":"u1","updatedAt":"yesterday","favorites":[]}"#, "/updatedAt"),
        (#"{"userId":"me","favorites":[]}"#, "/userId"),
    ])
    func aWrongValueIsWrongWhateverStandsBesideIt(line: String, pointer: String) async throws {
        let results = try await TestService().takeIn(line)
        #expect(results[0].hasPrefix(#"{"line":1,"result":"refused","code":"invalid_value""#))
        #expect(results[0].hasSuffix(#""pointer":"\#(pointer)"}"#))
    }

    @Test func linesOfOneUserTakeEffectInTheirOrder() async throws {
        let service = try await TestService()
        let lines = ["a", "b", "c", "b a"].map { #"{"userId":"u1","favorites":\#(jsonList($0))}"# }
        let results = try await service.takeIn(lines.joined(separator: "\n"))
        #expect(results.last == #"{"imported":4,"unchanged":0,"refused":0}"#)
        #expect(try await service.layout().favorites == "b a")
        #expect(try await service.layout().version == 4)
    }

    @Test func theHistorySaysWhoDidIt() async throws {
        let service = try await TestService()
        _ = try await service.takeIn(#"{"userId":"u1","favorites":["a"]}"#)
        let revision = try #require(try await service.get("/v1/users/u1/layout/revisions").json["revisions"]?[0])
        #expect(revision["kind"]?.text == "import")
    }

    @Test func noContentIsNoLines() async throws {
        let service = try await TestService()
        let request = try Request(.post, "/v1/admin/import")
        #expect(try await service.lines(service.api.answer(request)) == [#"{"imported":0,"unchanged":0,"refused":0}"#])
    }

    /// Every id would be unknown, and every list come in empty.
    @Test func withoutACatalogNothingIsTakenIn() async throws {
        let service = try await TestService(catalog: nil)
        let answer = try await service.takeIn(#"{"userId":"u1","favorites":["a"]}"#)
        #expect(answer[0].contains(#""code":"no_catalog""#))
        #expect(try await service.export() == [#"{"exported":0}"#])
    }

    @Test func anotherMediaTypeIsRefusedUnread() async throws {
        let service = try await TestService()
        let content = Pieces([], failure: StreamError.peerGone)
        #expect(try await service.takeIn(content, type: "application/json")[0].contains("unsupported_media_type"))
    }

    // MARK: What stops it

    @Test(arguments: [
        (StreamError.draining as any Error, "draining"), (ProtocolError.requestTimeout, "request_timeout"),
        (ProtocolError.incomplete, "malformed_request"),
    ])
    func aContentThatDoesNotGoOnIsSaidWithTheLineToGoOnAt(failure: any Error, code: String) async throws {
        let service = try await TestService()
        let pieces = ["{\"userId\":\"u1\",\"favorites\":[]}\n", "{\"userId\":\"u2\",\"favorites\":[]}\n{\"use"]
        let results = try await service.takeIn(Pieces(pieces.map { Array($0.utf8) }, failure: failure))
        #expect(results.count == 3)
        #expect(results[2].hasPrefix(#"{"line":3,"result":"stopped","code":"\#(code)""#))
        // Before the first piece it is an answer like any other.
        let none = try await service.takeIn(Pieces([], failure: failure))
        #expect(none[0].contains(#""code":"\#(code)""#))
    }

    @Test func aStorageThatTakesNothingStopsIt() async throws {
        let store = BrokenStore()
        let service = try await TestService(store: store)
        store.breakDown(with: StoreError.unavailable(reason: "disk"))
        let results = try await service.takeIn("\n{\"userId\":\"u1\",\"favorites\":[]}\n")
        #expect(results.count == 1)
        #expect(results[0].hasPrefix(#"{"line":2,"result":"stopped","code":"storage_unavailable""#))
        store.breakDown(with: StoreError.damaged(what: "layout of u1"))
        let damaged = try await service.takeIn("{\"userId\":\"u1\",\"favorites\":[]}\nx\n")
        #expect(damaged[0].hasPrefix(#"{"userId":"u1","line":1,"result":"refused","code":"damaged_record""#))
        #expect(damaged.last == #"{"imported":0,"unchanged":0,"refused":2}"#)
    }
}
