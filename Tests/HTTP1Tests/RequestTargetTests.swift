import HTTP1
import Testing

struct RequestTargetTests {
    @Test(arguments: [
        ("/v1/users/u1", ["v1", "users", "u1"]), ("/", [""]), ("/a/", ["a", ""]), ("//a", ["", "a"]),
        ("/a%2Fb/c", ["a/b", "c"]), ("http://h/x", ["x"]), ("http://h", [""]), ("/caf%C3%A9", ["café"]),
    ])
    func thePathIsDecodedOnceAndSegmentBySegment(text: String, segments: [String]) throws {
        let target = try RequestTarget(text)
        #expect(target.segments.map { $0.percentDecoded() } == segments)
    }

    @Test(arguments: ["/%FF", "/%C0%AE", "/a%ED%A0%80"])
    func whatIsNotUTF8HasNoText(text: String) throws {
        #expect(try RequestTarget(text).segments.map { $0.percentDecoded() } == [nil])
    }

    @Test func aRouterComparesWithoutMakingText() throws {
        let segments = try Array(RequestTarget("/livez/%6Civez/liveZ/%6c").segments)
        #expect(segments.map { $0.decodes(to: "livez") } == [true, true, false, false])
    }

    @Test(
        arguments: [
            ("/a", []), ("/a?", []), ("/?x=1&y", [("x", "1"), ("y", nil)]), ("/?a+b=%20+", [("a+b", " +")]),
            ("/?&&x==&", [("x", "=")]), ("/??a=/b?c", [("?a", "/b?c")]), ("http://h?x=%C3%A9", [("x", "é")]),
        ] as [(String, [(String, String?)])])
    func theQueryIsPairs(text: String, pairs: [(String, String?)]) throws {
        let parameters = try RequestTarget(text).parameters()
        #expect(parameters == pairs.map { RequestTarget.Parameter(name: $0.0, value: $0.1) })
    }

    @Test func aQueryThatIsNotUTF8HasNoParameters() throws {
        #expect(try RequestTarget("/?x=%FF").parameters() == nil)
    }

    @Test func theServerItselfIsAnAsterisk() throws {
        #expect(try RequestTarget("*", for: .options).pathString == "*")
        #expect(try RequestTarget("http://h", for: .options).pathString == "*")
    }
}
