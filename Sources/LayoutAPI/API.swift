package import HTTP1
package import LayoutApplication
import LayoutModel
import Metrics

/// The HTTP API: request → route → command, and every result or error back into a response. Knows no sockets. An object: each
/// answer that comes later holds it.
package final class API: RequestHandler {
    let layouts: LayoutService
    let catalogs: CatalogService
    let health: Health
    let tags: EntityTags
    let pages = PageShelf()
    let cellTexts = CellTextsByLanguage()
    let servedCatalog = KeptValue<Int, KeptRepresentation>()
    let metrics: APIMetrics
    let settings: Settings
    private let router: Router

    /// What an operator can choose.
    package struct Settings: Sendable {
        package var authentication = Authentication.none
        /// The pages for people: the console, and the reference of the API.
        package var servesConsole = true
        /// The longest content in octets where the route says nothing else.
        package var contentLimit = 64 * 1_024
        package var toleratesProxyTagSuffixes = false
        /// How long, in milliseconds, the answer to an idempotent request is kept.
        package var idempotencyTimeToLive: Int64 = 24 * 3_600_000
        /// nil where everybody may ask as often as they like.
        package var rateLimiter: RateLimiter?
        /// Told of every answered request; nil where nobody listens.
        package var log: (@Sendable (borrowing Exchange) -> Void)?
        /// Told of requests that take long.
        package var slowLog: SlowLog?
        /// nil where the level cannot be changed.
        package var logLevel: (any LogLevelControl)?
        /// The wall clock, in milliseconds since 1970.
        package var clock: @Sendable () -> Int64
        /// The monotonic clock by which requests say when they were received; where nobody sets it, it stands still.
        package var uptime: @Sendable () -> Instant = { Instant(nanoseconds: 0) }
        /// Makes a backup under a file's name; nil where none is to be made.
        package var backup: (@Sendable (String) async throws -> BackupReport)?
        /// Where it counts.
        package var metrics = APIMetrics()
        /// Served at `/metrics`; nil where that is elsewhere, or nowhere.
        package var metricsPage: MetricsPage?

        package init(clock: @escaping @Sendable () -> Int64) { self.clock = clock }
    }

    package init(layouts: LayoutService, catalogs: CatalogService, health: Health, settings: Settings) {
        self.layouts = layouts
        self.catalogs = catalogs
        self.health = health
        self.settings = settings
        metrics = settings.metrics
        tags = EntityTags(toleratesProxySuffixes: settings.toleratesProxyTagSuffixes)
        router = Router(settings.servesConsole ? Routes.all : Routes.withoutConsole)
    }

    var now: Int64 { settings.clock() }
    var idempotencyTimeToLive: Int64 { settings.idempotencyTimeToLive }
    var backup: (@Sendable (String) async throws -> BackupReport)? { settings.backup }
    var metricsPage: MetricsPage? { settings.metricsPage }
    var logLevel: (any LogLevelControl)? { settings.logLevel }

    package func delivery(for head: Request) -> ContentDelivery {
        var parameters = PathParameters()
        guard let route = router.route(for: head, &parameters) else { return .whole(limit: settings.contentLimit) }
        if route.content == .lines { return .pieces { [self] in answer($0, reading: $1) } }
        return .whole(limit: max(route.longestContent, settings.contentLimit))
    }

    package func answer(_ error: ProtocolError) -> Response {
        finished(Problem(error), error)
    }

    package func answer(_ request: Request) -> Answer { answer(request, reading: nil) }

    /// - Parameter content: where the content comes from, if it is not in the request.
    private func answer(_ request: Request, reading content: (any ContentReader)?) -> Answer {
        var parameters = PathParameters()
        guard let route = router.route(for: request, &parameters) else { return .now(answerWithoutRoute(request)) }
        var principal: Principal?
        var tally = RateLimiter.Tally()
        do {
            switch try answer(request, reading: content, by: route, parameters, from: &principal, &tally) {
            case .now(var response):
                finish(&response, to: request, by: route, from: principal)
                return limited(.now(consume response), tally)
            // What comes later is finished when it has come.
            case .later(let work): return limited(.later(work), tally)
            case .promised(let begin): return limited(.promised(begin), tally)
            }
        } catch {
            return limited(.now(failure(error, of: request, by: route, from: principal)), tally)
        }
    }

    private func answerWithoutRoute(_ request: Request) -> Response {
        switch router.miss(of: request) {
        case .options(let allowed):
            var fields = Fields()
            fields.append(name: "Allow", value: allowed)
            var response = Response(.noContent, fields: fields)
            finish(&response, to: request, by: nil)
            return response
        case .notFound: return failure(Problem.notFound, of: request, by: nil)
        case .methodNotAllowed(let allowed): return failure(Problem.methodNotAllowed(allowed), of: request, by: nil)
        case .unknownMethod: return failure(Problem.unknownMethod, of: request, by: nil)
        }
    }

    /// The order of checks: authentication, rate limits, permission, media types, then what the handler looks at.
    ///
    /// - Parameters:
    ///   - asker: set as soon as it is known who asks: a refusal is logged with them, too.
    ///   - tally: what the rate limits said, as far as they were asked.
    private func answer(
        _ request: Request, reading content: (any ContentReader)?, by route: Route, _ parameters: PathParameters,
        from asker: inout Principal?, _ tally: inout RateLimiter.Tally
    ) throws -> Answer {
        // Probes and documents are nobody's, and have no limit.
        let limiter = route.access == .anyone ? nil : settings.rateLimiter
        try limiter?.admit(peerOf: request, &tally)
        let principal = try settings.authentication.principal(of: request, access: route.access)
        asker = principal
        try limiter?.admit(principal, route, parameters, request, &tally)
        try settings.authentication.authorize(principal, request, access: route.access)
        try MediaTypes.check(request, hasContent: content != nil || !request.content.isEmpty, for: route)
        let query = try Call.query(of: request.target, knownTo: route)
        if !route.isTagged { try tags.checkUntagged(request) }
        let call = Call(
            request, route: route, parameters: parameters, query: query, principal: principal, reader: content)
        return try route.handler(self, call)
    }

    private func limited(_ answer: consuming Answer, _ tally: RateLimiter.Tally) -> Answer {
        if let limiter = settings.rateLimiter { limiter.stamp(answer, tally) } else { answer }
    }
}
