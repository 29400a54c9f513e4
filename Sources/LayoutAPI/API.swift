package import HTTP1
package import LayoutApplication
import LayoutModel

/// The HTTP API: request → route → command, and every result or error back into a response. Knows no sockets.
package struct API: RequestHandler {
    let layouts: LayoutService
    let catalogs: CatalogService
    let health: Health
    let tags: EntityTags
    private let settings: Settings
    private let router: Router

    /// What an operator can choose.
    package struct Settings: Sendable {
        package var authentication = Authentication.none
        /// The longest content in octets where the route says nothing else.
        package var contentLimit = 64 * 1_024
        package var toleratesProxyTagSuffixes = false
        /// How long, in milliseconds, the answer to an idempotent request is kept.
        package var idempotencyTimeToLive: Int64 = 24 * 3_600_000
        /// nil where everybody may ask as often as they like.
        package var rateLimiter: RateLimiter?
        /// Told of every answered request; nil where nobody listens.
        package var log: (@Sendable (Exchange) -> Void)?
        package var clock: @Sendable () -> Int64

        package init(clock: @escaping @Sendable () -> Int64) { self.clock = clock }
    }

    package init(layouts: LayoutService, catalogs: CatalogService, health: Health, settings: Settings) {
        self.layouts = layouts
        self.catalogs = catalogs
        self.health = health
        self.settings = settings
        tags = EntityTags(toleratesProxySuffixes: settings.toleratesProxyTagSuffixes)
        router = Router(Routes.all)
    }

    var now: Int64 { settings.clock() }
    var idempotencyTimeToLive: Int64 { settings.idempotencyTimeToLive }

    package func contentLimit(for head: Request) -> Int {
        router.route(forHead: head)?.contentLimit ?? settings.contentLimit
    }

    package func answer(_ error: ProtocolError) -> Response {
        let response = Problem(error).response(instance: nil)
        settings.log?(Exchange(refused: response))
        return response
    }

    package func answer(_ request: Request) -> Answer {
        switch router.match(request) {
        case .route(let route, let parameters):
            var tally = RateLimiter.Tally()
            do {
                return limited(logged(try answer(request, by: route, parameters, &tally), request, route), tally)
            } catch {
                return limited(logged(.now(response(to: error, for: request)), request, route, error), tally)
            }
        case .options(let allowed):
            var fields = Fields()
            fields.append(name: "Allow", value: allowed)
            return logged(.now(Response(.noContent, fields: fields)), request, nil)
        case .notFound: return refusal(.notFound, of: request)
        case .methodNotAllowed(let allowed): return refusal(.methodNotAllowed(allowed), of: request)
        case .unknownMethod: return refusal(.unknownMethod, of: request)
        }
    }

    /// The order of checks: authentication, rate limits, media types, then what the handler looks at.
    private func answer(
        _ request: Request, by route: Route, _ parameters: [String], _ tally: inout RateLimiter.Tally
    ) throws -> Answer {
        // Probes and documents are nobody's, and have no limit.
        let limiter = route.access == .anyone ? nil : settings.rateLimiter
        try limiter?.admit(peerOf: request, &tally)
        let principal = try settings.authentication.principal(for: request, access: route.access)
        try limiter?.admit(principal, route, parameters, request, &tally)
        try MediaTypes.check(request, for: route)
        return try route.handler(self, try Call(request, route: route, parameters: parameters, principal: principal))
    }

    /// Work that has to wait for the store.
    func later(_ call: Call, _ work: @escaping @Sendable () async throws -> Response) -> Answer {
        .later {
            do { return try await work() } catch { return response(to: error, for: call.request) }
        }
    }

    private func limited(_ answer: Answer, _ tally: RateLimiter.Tally) -> Answer {
        guard let limiter = settings.rateLimiter else { return answer }
        return limiter.stamp(answer, tally)
    }

    private func refusal(_ problem: Problem, of request: Request) -> Answer {
        logged(.now(response(to: problem, for: request)), request, nil)
    }

    private func response(to error: any Error, for request: Request) -> Response {
        var response = Problem(error).response(instance: request.target.pathString)
        response.omitsContent = request.method == .head
        if response.status == .internalServerError { settings.log?(Exchange(unforeseen: error, request)) }
        return response
    }

    private func logged(_ answer: Answer, _ request: Request, _ route: Route?, _ error: (any Error)? = nil) -> Answer {
        guard let log = settings.log else { return answer }
        switch answer {
        case .now(let response):
            log(Exchange(request, route?.operation, response))
            return answer
        case .later(let work):
            return .later {
                let response = await work()
                log(Exchange(request, route?.operation, response))
                return response
            }
        }
    }
}
