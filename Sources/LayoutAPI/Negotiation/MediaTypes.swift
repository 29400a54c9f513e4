import HTTP1

/// What a request's content may be, and what it must be ready to take back.
enum MediaTypes {
    static let json: StaticString = "application/json"
    /// JSON lines: one value a line. https://github.com/ndjson/ndjson-spec
    static let lines: StaticString = "application/x-ndjson"

    /// - Throws: 415 for content that is not what the route takes; 406 where `Accept` rules out all that it could give.
    static func check(_ request: Request, hasContent: Bool, for route: Route) throws {
        if hasContent { try checkContent(request, for: route) }
        guard route.negotiates, !Accept.allows(route.produces, request.fields) else { return }
        throw Problem.notAcceptable(route.produces)
    }

    private static func checkContent(_ request: Request, for route: Route) throws {
        guard route.content != .none else {
            // RFC 9110 §9.3.1, §9.3.5: with these content means nothing. With others it means what would be passed over.
            if [.get, .head, .delete].contains(request.method) { return }
            throw Problem.unexpectedContent
        }
        let (fields, expected) = (request.fields, route.content == .lines ? lines : json)
        guard fields.elements(of: "Content-Encoding").allSatisfy({ $0.equalsIgnoringCase("identity") }) else {
            throw Problem.unsupportedContentCoding(accepted: expected)
        }
        // curl -d says application/x-www-form-urlencoded unless told otherwise: better a clear word than a guess.
        guard let type = fields.single("Content-Type"), essence(type).equalsIgnoringCase(expected) else {
            throw Problem.unsupportedMediaType(accepted: expected)
        }
    }

    /// RFC 9110 §8.3.1: case does not matter, and parameters may follow (RFC 8259 defines none).
    private static func essence(_ type: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        type.prefix { $0 != UInt8(ascii: ";") }.trimmed
    }
}

extension Route {
    /// Probes speak plain text; nobody who probes sends an `Accept` that matters.
    fileprivate var negotiates: Bool { access != .anyone }
}
