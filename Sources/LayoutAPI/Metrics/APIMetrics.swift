import HTTP1
import LayoutApplication
package import Metrics

/// What the API counts. No label takes anything that a request says: methods, routes, statuses and codes are our words.
package final class APIMetrics: MetricsSource {
    private let series = RequestSeries()
    private let durations: HistogramTable
    private let problems = LabelledTally()
    private let refusals = LabelledTally()
    private let conflicts = Tally()
    private let rebases = Tally()
    private let replays = Tally()
    /// Requests whose answer is being worked out; those answered at once from memory are never seen here.
    let underWay = Tally()
    let streams = Tally()
    let waits = Tally()

    init() { durations = HistogramTable(.durations, series: series.count) }

    /// - Parameter method: `other` where the request could not be read.
    func answered(_ method: Method, by route: Route?, _ status: Status, after nanoseconds: Int64) {
        durations.observe(Int(nanoseconds), in: series.number(method, route, status))
    }

    /// A refusal of a rule, and any other problem.
    func met(_ problem: Problem, _ error: any Error) {
        problems.add(problem.code.rawValue)
        switch Stumble(error) {
        case .conflict: conflicts.add()
        case .refusal: refusals.add(problem.code.rawValue)
        case nil: break
        }
    }

    func settled(_ change: Settled<ChangeResult>) {
        switch change {
        case .decided(let result): if result.rebasedFrom != nil { rebases.add() }
        case .replayed: replays.add()
        }
    }

    package func write(to text: inout MetricsText) {
        text.family(
            "http_server_request_duration_seconds", .histogram,
            "From the last octet of a request to its answer, or to the head of an event stream."
        ) { family in
            for number in 0..<series.count {
                guard let total = durations.total(of: number) else { continue }
                let (method, route, status) = series.labels(of: number)
                let labels: MetricsText.Labels =
                    if let route {
                        [
                            "http_request_method": method, "http_route": route, "http_response_status_code": status,
                        ]
                    } else {
                        ["http_request_method": method, "http_response_status_code": status]
                    }
                family.histogram(labels, total, durations.buckets)
            }
        }
        text.gauge(
            "http_server_active_requests", "Requests that are being worked out, waited with or streamed to.",
            underWay.value + streams.value)
        text.gauge("pegboard_event_streams", "Event streams that are open.", streams.value)
        text.gauge("pegboard_waiting_requests", "Requests with Prefer: wait that wait for a change.", waits.value)
        text.counter(
            "pegboard_problems_total", "Answers that were a problem, by its code.", by: "code", problems.totals)
        text.counter(
            "pegboard_refusals_total", "Writes that a rule refused, by the problem's code.", by: "code",
            refusals.totals)
        text.counter(
            "pegboard_conflicts_total", "Writes refused since their precondition named another state of the layout.",
            conflicts.value)
        text.counter(
            "pegboard_rebases_total", "Writes made on an older version and carried over to the newest.",
            rebases.value)
        text.counter(
            "pegboard_idempotent_replays_total", "Repeated requests that got the first answer again.",
            replays.value)
    }
}
