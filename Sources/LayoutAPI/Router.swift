import HTTP1

/// Finds the route for a request: the templates of all paths as one tree, walked segment by segment without allocating.
struct Router: Sendable {
    /// The routes of one path, by method.
    private final class Resource: Sendable {
        let routes: [Route]
        /// `GET, HEAD, PUT, OPTIONS`: the value of `Allow`.
        let allowed: String

        init(_ routes: [Route]) {
            self.routes = routes
            let methods = routes.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }
            allowed = (methods + ["OPTIONS"]).joined(separator: ", ")
        }
    }

    /// What may stand behind one beginning of a path. A literal comes before a parameter.
    private struct Node: Sendable {
        /// The nodes behind the literals that may come next.
        var literals: [Int] = []
        var parameter: Int?
        /// Where in `texts` the literal stands that leads here.
        var literal = 0..<0
        /// Of the path that ends here.
        var resource: Resource?
    }

    private var nodes = [Node()]
    /// All literals, one behind the other.
    private var texts: [UInt8] = []

    init(_ routes: [Route]) {
        for (text, routes) in Dictionary(grouping: routes, by: \.path.text) {
            let end = makeNode(for: PathTemplate(stringLiteral: text))
            nodes[end].resource = Resource(routes)
        }
    }

    private mutating func makeNode(for path: PathTemplate) -> Int {
        path.segments.reduce(0) { place, segment in
            switch segment {
            case .literal(let octets):
                if let next = nodes[place].literals.first(where: { texts[nodes[$0].literal].elementsEqual(octets) }) {
                    return next
                }
                let start = texts.count
                texts += octets
                nodes.append(Node(literal: start..<texts.count))
                nodes[place].literals.append(nodes.count - 1)
            case .parameter:
                if let next = nodes[place].parameter { return next }
                nodes.append(Node())
                nodes[place].parameter = nodes.count - 1
            }
            return nodes.count - 1
        }
    }

    enum Match {
        /// - Parameter parameters: not yet percent-decoded.
        case route(Route, parameters: PathParameters)
        case notFound
        case methodNotAllowed(allowed: String)
        /// OPTIONS is answered for every resource alike.
        case options(allowed: String)
        case unknownMethod
    }

    func match(_ request: Request) -> Match {
        var parameters = PathParameters()
        guard let resource = resource(for: request.target, &parameters) else {
            if request.method == .options, request.target.octets[request.target.path] == "*" {
                return .options(allowed: "GET, HEAD, POST, PUT, DELETE, OPTIONS")
            }
            return request.method == .other ? .unknownMethod : .notFound
        }
        // HEAD is GET without the content on the wire (RFC 9110 §9.3.2).
        let method = request.method == .head ? .get : request.method
        if let route = resource.routes.first(where: { $0.method == method }) {
            return .route(route, parameters: parameters)
        }
        switch request.method {
        case .options: return .options(allowed: resource.allowed)
        case .other: return .unknownMethod
        default: return .methodNotAllowed(allowed: resource.allowed)
        }
    }

    private func resource(for target: RequestTarget, _ parameters: inout PathParameters) -> Resource? {
        let octets = target.octets.span
        guard !target.path.isEmpty, octets[target.path.lowerBound] == UInt8(ascii: "/") else { return nil }
        var place = 0
        var start = target.path.lowerBound + 1
        while true {
            var end = start
            while end < target.path.upperBound, octets[end] != UInt8(ascii: "/") { end += 1 }
            if let next = literal(behind: place, octets, start..<end) {
                place = next
            } else if let next = nodes[place].parameter {
                parameters.append(start..<end)
                place = next
            } else {
                return nil
            }
            if end == target.path.upperBound { return nodes[place].resource }
            start = end + 1
        }
    }

    private func literal(behind place: Int, _ octets: Span<UInt8>, _ segment: Range<Int>) -> Int? {
        nodes[place].literals.first { spells(octets, segment, nodes[$0].literal) }
    }

    /// A percent-encoded letter is the letter (RFC 3986 §6.2.2.2); an encoded slash stays inside its segment.
    private func spells(_ octets: Span<UInt8>, _ segment: Range<Int>, _ literal: Range<Int>) -> Bool {
        if segment.count == literal.count {
            return literal.allSatisfy { texts[$0] == octets[segment.lowerBound + $0 - literal.lowerBound] }
        }
        // An escape is longer than what it stands for.
        guard segment.count > literal.count, segment.contains(where: { octets[$0] == UInt8(ascii: "%") }) else {
            return false
        }
        return segment.map { octets[$0] }[...].percentDecoded()?.utf8.elementsEqual(texts[literal]) ?? false
    }
}
