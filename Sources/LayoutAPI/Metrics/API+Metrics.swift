package import HTTP1
package import Metrics

extension API {
    /// 404 where the metrics have a port of their own.
    func getMetrics(_ call: Call) throws -> Answer {
        guard let page = metricsPage else { throw Problem.notFound }
        return later(call) { await page.response(to: call.request) }
    }
}

/// Everything that is told at `/metrics`.
package struct MetricsPage: Sendable {
    private let text: @Sendable () async -> MetricsText

    /// - Parameter text: asked for each time; may wait, since it reads files.
    package init(_ text: @escaping @Sendable () async -> MetricsText) { self.text = text }

    func response(to request: Request) async -> Response {
        var fields = Fields()
        fields.append(name: "Content-Type", value: MetricsText.mediaType)
        fields.append(name: "Cache-Control", value: "no-store")
        var response = Response(.ok, fields: fields, content: .bytes(await text().octets))
        response.omitsContent = request.method == .head
        return response
    }
}

/// `/metrics` and nothing else, for whoever reaches the port: the network says who may.
package struct MetricsPort: RequestHandler {
    private let page: MetricsPage

    package init(_ page: MetricsPage) { self.page = page }

    package func delivery(for head: Request) -> ContentDelivery { .whole(limit: 0) }

    package func answer(_ error: ProtocolError) -> Response { Problem(error).response(instance: nil) }

    package func answer(_ request: Request) -> Answer {
        guard request.target.pathAsItCame == "/metrics" else {
            return .now(refusal(.notFound, of: request))
        }
        guard request.method == .get || request.method == .head else {
            return .now(refusal(.methodNotAllowed("GET, HEAD"), of: request))
        }
        return .later { await page.response(to: request) }
    }

    private func refusal(_ problem: Problem, of request: Request) -> Response {
        var response = problem.response(instance: request.target.pathAsItCame)
        response.omitsContent = request.method == .head
        return response
    }
}
