import HTTP1

/// One row of the table: a method on a path, and what answers it.
struct Route: Sendable {
    let method: Method
    let path: PathTemplate
    /// The operation's name, as the OpenAPI document, the log and the metrics call it.
    let operation: StaticString
    let access: Access
    let content: ContentRule
    /// The query parameters that it knows. Any other is refused: a misspelt `validateOnly` must not become a write.
    let query: [String]
    /// The longest content in octets; nil for the configured bound.
    let contentLimit: Int?
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

    enum ContentRule: Sendable { case none, json, optionalJSON }

    init(
        _ method: Method, _ path: PathTemplate, _ operation: StaticString, _ access: Access,
        content: ContentRule = .none, query: [String] = [], contentLimit: Int? = nil, _ handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.operation = operation
        self.access = access
        self.content = content
        self.query = query
        self.contentLimit = contentLimit
        self.handler = handler
    }
}

/// A path with places for parameters: `/v1/users/{user}/layout`.
struct PathTemplate: Sendable, ExpressibleByStringLiteral {
    let text: StaticString
    fileprivate let segments: [Segment]

    fileprivate enum Segment: Sendable {
        case literal([UInt8])
        case parameter
    }

    init(stringLiteral text: StaticString) {
        self.text = text
        segments = text.description.dropFirst().split(separator: "/").map {
            $0.hasPrefix("{") ? .parameter : .literal(Array($0.utf8))
        }
    }
}

/// Finds the route for a request.
struct Router: Sendable {
    /// The routes of one path, by method.
    private struct Resource: Sendable {
        let path: PathTemplate
        var routes: [Route]
        /// `GET, HEAD, PUT, OPTIONS`: the value of `Allow`.
        var allowed: String
    }

    private let resources: [Resource]

    init(_ routes: [Route]) {
        var resources: [Resource] = []
        for route in routes {
            if let index = resources.firstIndex(where: { $0.path.text.description == route.path.text.description }) {
                resources[index].routes.append(route)
            } else {
                resources.append(Resource(path: route.path, routes: [route], allowed: ""))
            }
        }
        for index in resources.indices {
            let methods = resources[index].routes.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }
            resources[index].allowed = (methods + ["OPTIONS"]).joined(separator: ", ")
        }
        self.resources = resources
    }

    enum Match {
        case route(Route, parameters: [String])
        case notFound
        case methodNotAllowed(allowed: String)
        /// OPTIONS is answered for every resource alike.
        case options(allowed: String)
        case unknownMethod
    }

    func match(_ request: Request) -> Match {
        guard let (resource, parameters) = resource(for: request.target) else {
            if request.method == .options, request.target.octets[request.target.path].elementsEqual("*".utf8) {
                return .options(allowed: "GET, HEAD, POST, PUT, DELETE, OPTIONS")
            }
            return request.method == .other ? .unknownMethod : .notFound
        }
        // HEAD is GET without the content on the wire (RFC 9110 §9.3.2).
        let method = request.method == .head ? .get : request.method
        if let route = resource.routes.first(where: { $0.method == method }) { return .route(route, parameters: parameters) }
        switch request.method {
        case .options: return .options(allowed: resource.allowed)
        case .other: return .unknownMethod
        default: return .methodNotAllowed(allowed: resource.allowed)
        }
    }

    /// The route of a request whose content has not arrived yet, if any.
    func route(forHead request: Request) -> Route? {
        if case .route(let route, _) = match(request) { route } else { nil }
    }

    private func resource(for target: RequestTarget) -> (Resource, parameters: [String])? {
        var segments: [ArraySlice<UInt8>] = []
        segments.reserveCapacity(8)
        for segment in target.segments { segments.append(segment) }
        // A percent-encoded letter is the letter (RFC 3986 §6.2.2.2); an encoded slash stays inside its segment.
        let isEncoded = target.octets[target.path].contains(UInt8(ascii: "%"))
        next: for resource in resources where resource.path.segments.count == segments.count {
            var parameters: [String] = []
            for (pattern, segment) in zip(resource.path.segments, segments) {
                switch pattern {
                case .literal(let literal):
                    let matches = isEncoded
                        ? segment.percentDecoded().map { $0.utf8.elementsEqual(literal) } ?? false
                        : segment.elementsEqual(literal)
                    guard matches else { continue next }
                case .parameter:
                    // What is not UTF-8 names nothing: an empty text, which no identifier accepts.
                    parameters.append(segment.percentDecoded() ?? "")
                }
            }
            return (resource, parameters)
        }
        return nil
    }
}
