import HTTP1

extension API {
    /// The API as OpenAPI has it: what clients are generated from, and what `/docs` shows.
    func getOpenAPI(_ call: Call) throws -> Answer { .now(try Self.openAPI.response(to: call.request, tags: tags)) }

    /// Joined and compressed when it is asked for first: most processes never are.
    private static let openAPI = {
        let document = OpenAPIDocument.joined()
        let tag = String(SHA256Digest(of: document).hexadecimal.prefix(16))
        return KeptRepresentation(Representation(tag: tag, cacheControl: "no-cache"), content: document)
    }()
}
