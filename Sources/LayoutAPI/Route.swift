import HTTP1

/// One row of the table: a method on a path, and what answers it. An object: each request passes its route on, and a copy
/// would count a reference for every text in it.
final class Route: Sendable {
    /// Its place in the table.
    let ordinal: Int
    let method: Method
    let path: PathTemplate
    /// The operation's name, as the OpenAPI document, the log and the metrics call it.
    let operation: StaticString
    let access: Access
    let content: ContentRule
    /// The media type of its answers, problems aside.
    let produces: String
    /// The query parameters that it knows. Any other is refused: a misspelt `validateOnly` must not become a write.
    let query: [String]
    /// Whether what is there has an entity tag. Where it has none, a request's conditions are answered before its handler is
    /// asked; where it has one, that is the handler's. Monitors may say what they like to what tells how the server is.
    let isTagged: Bool
    /// The longest content in octets, where that is more than the configured bound.
    let longestContent: Int
    /// Whether it tells how the server is, and nothing else.
    let isProbe: Bool
    let handler: Handler

    typealias Handler = @Sendable (API, Call) throws -> Answer

    enum Access: Sendable {
        /// No token: probes and documents.
        case anyone
        case reader, writer
        case anyUser
        /// Publishes catalogs.
        case publisher
        case admin
    }

    enum ContentRule: Sendable {
        case none, json, optionalJSON
        /// JSON lines of any number, read while they come.
        case lines
    }

    init(
        _ method: Method, _ path: PathTemplate, _ operation: StaticString, _ access: Access,
        content: ContentRule = .none, produces: String = "application/json", query: [String] = [],
        isTagged: Bool = true, longestContent: Int = 0, ordinal: Int = 0, _ handler: @escaping Handler
    ) {
        self.ordinal = ordinal
        self.method = method
        self.path = path
        self.operation = operation
        self.access = access
        self.content = content
        self.produces = produces
        self.query = query
        self.isTagged = isTagged
        self.longestContent = longestContent
        isProbe = ["/livez", "/readyz", "/healthz"].contains(path.text)
        self.handler = handler
    }

    /// The same as a row of the whole table.
    func placed(at ordinal: Int) -> Route {
        Route(
            method, path, operation, access, content: content, produces: produces, query: query,
            isTagged: isTagged, longestContent: longestContent, ordinal: ordinal, handler)
    }
}
