import HTTP1

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
            if let index = resources.firstIndex(where: { $0.path.text == route.path.text }) {
                resources[index].routes.append(route)
            } else {
                resources.append(Resource(path: route.path, routes: [route], allowed: ""))
            }
        }
        for index in resources.indices {
            let methods = resources[index].routes.flatMap {
                $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue]
            }
            resources[index].allowed = (methods + ["OPTIONS"]).joined(separator: ", ")
        }
        self.resources = resources
    }

    enum Match {
        /// - Parameter parameters: not yet percent-decoded.
        case route(Route, parameters: [ArraySlice<UInt8>])
        case notFound
        case methodNotAllowed(allowed: String)
        /// OPTIONS is answered for every resource alike.
        case options(allowed: String)
        case unknownMethod
    }

    func match(_ request: Request) -> Match {
        guard let (resource, parameters) = resource(for: request.target) else {
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

    private func resource(for target: RequestTarget) -> (Resource, parameters: [ArraySlice<UInt8>])? {
        for resource in resources {
            if let parameters = resource.path.parameters(in: target) { return (resource, parameters) }
        }
        return nil
    }
}
