import HTTP1

/// What a request's content may be, and what it must be ready to take back.
enum MediaTypes {
    static let json: StaticString = "application/json"
    /// JSON lines: one value a line. https://github.com/ndjson/ndjson-spec
    static let lines: StaticString = "application/x-ndjson"

    /// - Throws: 415 for content that is not what the route takes; 406 where `Accept` rules out all that it could give.
    static func check(_ request: Request, hasContent: Bool, for route: Route) throws {
        if route.content != .none, hasContent {
            try checkContent(request.fields, is: route.content == .lines ? lines : json)
        }
        guard route.negotiates, !Accept.allows(route.produces, request.fields) else { return }
        throw Problem.notAcceptable(route.produces)
    }

    private static func checkContent(_ fields: Fields, is expected: StaticString) throws {
        guard fields.elements(of: "Content-Encoding").allSatisfy({ $0.equalsIgnoringCase("identity") }) else {
            throw Problem.unsupportedMediaType("Content is taken without a content coding.", accepted: expected)
        }
        // curl -d says application/x-www-form-urlencoded unless told otherwise: better a clear word than a guess.
        guard let type = fields.single("Content-Type"), essence(type).equalsIgnoringCase(expected) else {
            throw Problem.unsupportedMediaType(
                "Content is taken as \(expected): say so in Content-Type.", accepted: expected)
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
