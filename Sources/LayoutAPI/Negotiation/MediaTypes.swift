import HTTP1

/// What a request's content may be, and what it must be ready to take back.
enum MediaTypes {
    /// - Throws: 415 for content that is not JSON; 406 where `Accept` rules out all that the route could give.
    static func check(_ request: Request, for route: Route) throws {
        if route.content != .none, !request.content.isEmpty { try checkContent(request.fields) }
        guard route.negotiates, !Accept.allows(route.produces, request.fields) else { return }
        throw Problem.notAcceptable(route.produces)
    }

    private static func checkContent(_ fields: Fields) throws {
        guard fields.elements(of: "Content-Encoding").allSatisfy({ $0.equalsIgnoringCase("identity") }) else {
            throw Problem.unsupportedMediaType("Content is taken without a content coding.")
        }
        // curl -d says application/x-www-form-urlencoded unless told otherwise: better a clear word than a guess.
        guard let type = fields.single("Content-Type"), isJSON(type) else {
            throw Problem.unsupportedMediaType("Content is taken as application/json: say so in Content-Type.")
        }
    }

    /// RFC 9110 §8.3.1: case does not matter, and parameters may follow (RFC 8259 defines none).
    private static func isJSON(_ type: ArraySlice<UInt8>) -> Bool {
        type.prefix { $0 != UInt8(ascii: ";") }.trimmed.equalsIgnoringCase("application/json")
    }
}

extension Route {
    /// Probes speak plain text; nobody who probes sends an `Accept` that matters.
    fileprivate var negotiates: Bool { access != .anyone }
}
