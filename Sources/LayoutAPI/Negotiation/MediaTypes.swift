import HTTP1

/// What a request's content may be, and what it must be ready to take back.
enum MediaTypes {
    /// - Throws: 415 for content that is not JSON; 406 where `Accept` rules out all that the route could give.
    static func check(_ request: Request, for route: Route) throws {
        if route.content != .none, !request.content.isEmpty { try checkContent(request.fields) }
        guard route.answersJSON, !Accept.allows("application/json", request.fields) else { return }
        throw Problem.notAcceptable
    }

    private static func checkContent(_ fields: Fields) throws {
        if fields.contains("Content-Encoding"), !fields.contains("Content-Encoding", token: "identity") {
            throw Problem.unsupportedMediaType("Content is taken without a content coding.")
        }
        let types = fields.values(of: "Content-Type")
        // curl -d says application/x-www-form-urlencoded unless told otherwise: better a clear word than a guess.
        guard types.count == 1, isJSON(types[0]) else {
            throw Problem.unsupportedMediaType("Content is taken as application/json: say so in Content-Type.")
        }
    }

    /// RFC 9110 §8.3.1: case does not matter, and parameters may follow (RFC 8259 defines none).
    private static func isJSON(_ type: String) -> Bool {
        let name = type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        guard name.lowercased() == "application/json" else { return false }
        return type.prefix { $0 != ";" }.trimmed == name
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text.drop { $0 == " " || $0 == "\t" }
    }
}

extension Route {
    /// Probes speak plain text; nobody who probes sends an `Accept` that matters.
    fileprivate var answersJSON: Bool { access != .anyone }
}
