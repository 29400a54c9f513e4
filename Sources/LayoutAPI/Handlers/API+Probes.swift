import HTTP1
import LayoutApplication

extension API {
    /// Alive: this loop answers. Never touches the storage, or an outage there would restart a healthy process.
    func livez(_ call: Call) -> Answer { .now(Self.alive.answer(call)) }

    /// Ready to be sent requests: the storage answers, and nobody asked the server to stop.
    func readyz(_ call: Call) -> Answer {
        if health.isDraining { return .now(ProbeReport(checks: [("draining", "shutting down")]).answer(call)) }
        if health.storage.isWell(at: settings.uptime()) { return .now(Self.ready.answer(call)) }
        return later(call) { [self] in
            do {
                try await health.storage.ask(at: settings.uptime()) { try await layouts.check() }
                return Self.ready.answer(call)
            } catch {
                return ProbeReport(checks: [("storage", "does not answer"), ("draining", nil)]).answer(call)
            }
        }
    }

    private static let ready = ProbeReport(checks: [("storage", nil), ("draining", nil)])
    private static let alive = ProbeReport(checks: [("process", nil)])
}

/// What a probe found, check by check: nil where it is well, else why not.
private struct ProbeReport: Sendable {
    private let response: Response
    private let verbose: Response

    init(checks: [(name: String, failure: String?)]) {
        let failed = checks.filter { $0.failure != nil }
        let status: Status = failed.isEmpty ? .ok : .serviceUnavailable
        let lines = checks.map { check in
            check.failure.map { "[-]\(check.name) \($0)\n" } ?? "[+]\(check.name) ok\n"
        }
        let short = failed.isEmpty ? "ok\n" : failed.map { "[-]\($0.name) \($0.failure ?? "")\n" }.joined()
        response = Self.text(status, short)
        verbose = Self.text(status, lines.joined() + (failed.isEmpty ? "ok\n" : "failed\n"))
    }

    func answer(_ call: Call) -> Response {
        var response = call.text("verbose") == nil ? response : verbose
        response.omitsContent = call.request.method == .head
        return response
    }

    private static func text(_ status: Status, _ text: String) -> Response {
        var fields = Fields()
        fields.append(name: "Content-Type", value: "text/plain; charset=utf-8")
        fields.append(name: "Cache-Control", value: "no-store")
        if status == .serviceUnavailable { fields.append(name: "Retry-After", value: "2") }
        return Response(status, fields: fields, content: .bytes(Array(text.utf8)))
    }
}
