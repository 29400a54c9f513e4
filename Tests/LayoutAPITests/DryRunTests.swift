import HTTP1
import LayoutAPI
import Testing

/// `?validateOnly=true` gives exactly the answer that the write would give, and changes nothing.
@Suite struct DryRunTests {
    private struct Write {
        var method: Method
        var path: String
        var fields: KeyValuePairs<StaticString, String> = [:]
        var content: String?
    }

    private static let writes = [
        Write(method: .put, path: "", fields: ["If-Match": #""1""#], content: #"{"favorites":["c","a"]}"#),
        Write(method: .put, path: "", fields: ["If-Match": #""1""#], content: #"{"favorites":["a","b","c"]}"#),
        Write(method: .put, path: "", fields: ["If-Match": #""0""#], content: #"{"favorites":["c"]}"#),
        Write(method: .put, path: "", content: #"{"favorites":["c"]}"#),
        Write(method: .put, path: "", content: #"{"favorites":["c"],"baseVersion":0}"#),
        Write(method: .put, path: "", fields: ["If-Match": "*"], content: #"{"favorites":["a","a"]}"#),
        Write(method: .put, path: "", fields: ["If-Match": "*"], content: #"{"favorites":1}"#),
        Write(method: .delete, path: "", fields: ["If-Match": #""1""#]),
        Write(
            method: .post, path: "/operations",
            content: #"{"operations":[{"op":"move","id":"c","at":{"index":0}},{"op":"add","id":"d"}]}"#),
        Write(method: .post, path: "/operations", content: #"{"operations":[{"op":"remove","id":"h"}]}"#),
        Write(
            method: .post, path: "/operations",
            content: #"{"operations":[{"op":"remove","id":"a"},{"op":"move","id":"c","at":{"index":2}}]}"#),
        Write(method: .post, path: "/operations", content: #"{"operations":[{"op":"add","id":"zz"}]}"#),
        Write(method: .put, path: "/favorites/d"),
        Write(method: .put, path: "/favorites/a", content: #"{"at":{"edge":"last"}}"#),
        Write(method: .delete, path: "/favorites/a"),
    ]

    @Test(arguments: writes.indices, [false, true])
    func aDryRunAnswersAsTheWriteAndChangesNothing(index: Int, locked: Bool) async throws {
        let write = Self.writes[index]
        let service = try await TestService("a b c")
        if locked { try await service.lock(true) }
        let before = try await service.layout()
        let path = "/v1/users/u1/layout\(write.path)"
        let dry = try await service.send(write.method, "\(path)?validateOnly=true", write.fields, write.content)
        let after = try await service.layout()
        #expect(after.octets == before.octets)
        #expect(after.tag == before.tag)

        let real = try await service.send(write.method, path, write.fields, write.content)
        #expect(dry.status == real.status)
        #expect(dry.tag == real.tag)
        // Said to be a dry run, and in all else the same.
        #expect(dry.text.replacing(#""validateOnly":true,"#, with: "") == real.text)
        #expect(dry.text.contains("validateOnly") == (real.status < 300))
        let unset = try await service.send(write.method, "\(path)?validateOnly=false", write.fields, write.content)
        #expect(!unset.text.contains("validateOnly"))
    }
}
