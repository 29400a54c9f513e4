package import HTTP1

/// Lets the scripts of certain web pages read the answers of another handler (Fetch §3.2, "CORS"). Everybody else gets the
/// same answers; it is their browser that keeps them from a page.
///
/// Cookies mean nothing here, so credentials are never allowed: a page has to hold a token to get at anything.
package struct CrossOrigin<Inner: RequestHandler>: RequestHandler {
    private let inner: Inner
    /// What each origin is answered: made once, since every answer gets it.
    private let grants: [String: Grant]

    private struct Grant: Sendable {
        var answer = CrossOriginFields.vary
        var preflight = CrossOriginFields.preflightVary
    }

    package init(_ inner: Inner, allowing allowed: AllowedOrigins) {
        self.inner = inner
        var grants: [String: Grant] = [:]
        for origin in allowed.origins {
            var grant = Grant()
            grant.answer.append(name: "Access-Control-Allow-Origin", value: origin)
            grant.answer.append(contentsOf: CrossOriginFields.exposed)
            grant.preflight.append(name: "Access-Control-Allow-Origin", value: origin)
            grant.preflight.append(contentsOf: CrossOriginFields.permitted)
            grants[origin] = grant
        }
        self.grants = grants
    }

    package func delivery(for head: Request) -> ContentDelivery {
        let delivery = inner.delivery(for: head)
        guard case .pieces(let answer) = delivery else { return delivery }
        return .pieces { opened(answer($0, $1), for: $0) }
    }

    package func answer(_ error: ProtocolError) -> Response { inner.answer(error) }

    package func answer(_ request: Request) -> Answer { opened(inner.answer(request), for: request) }

    private func opened(_ answer: Answer, for request: Request) -> Answer {
        // Two lines are what no browser sends; the first one is as good as any.
        let grant = request.fields.first("Origin").flatMap { grants[$0] }
        let isPreflight = request.method == .options && request.fields.contains("Access-Control-Request-Method")
        return answer.altered { isPreflight ? preflight($0, grant) : opened($0, grant) }
    }

    /// Answers to requests without an origin say `Vary`, too: a cache must not give them to a page.
    private func opened(_ response: Response, _ grant: Grant?) -> Response {
        var response = response
        response.fields.append(contentsOf: grant?.answer ?? CrossOriginFields.vary)
        return response
    }

    /// A resource's own `Allow` is the list of methods. Where there is no such resource, or the page is not allowed, the
    /// browser finds nothing and sends no request.
    private func preflight(_ response: Response, _ grant: Grant?) -> Response {
        var response = response
        guard let grant, let methods = response.fields.first("Allow") else {
            response.fields.append(contentsOf: CrossOriginFields.preflightVary)
            return response
        }
        response.fields.append(name: "Access-Control-Allow-Methods", value: methods)
        response.fields.append(contentsOf: grant.preflight)
        return response
    }
}

/// What does not depend on the origin.
private enum CrossOriginFields {
    static let vary = field("Vary", "Origin")
    static let preflightVary = field(
        "Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
    /// What a page sees besides the status and the content.
    static let exposed = field(
        "Access-Control-Expose-Headers",
        "ETag, Idempotency-Replayed, Link, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, "
            + "WWW-Authenticate, X-Request-Id")

    /// Two hours: no browser keeps it for longer.
    static let permitted = {
        var fields = field(
            "Access-Control-Allow-Headers",
            "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Pegboard-Client, Prefer, "
                + "Traceparent, X-Request-Id")
        fields.append(name: "Access-Control-Max-Age", value: "7200")
        return fields
    }()

    private static func field(_ name: StaticString, _ value: String) -> Fields {
        var fields = Fields()
        fields.append(name: name, value: value)
        return fields
    }
}
