import HTTP1
import LayoutApplication
package import Metrics

/// What the API counts. No label takes anything that a request says: methods, routes, statuses and codes are our words.
package final class APIMetrics: MetricsSource {
    private let durations = HistogramTable(.durations, series: Series.count)
    private let problems = LabelledTally()
    private let refusals = LabelledTally()
    private let conflicts = Tally()
    private let rebases = Tally()
    private let replays = Tally()
    /// Requests whose answer is being worked out; those answered at once from memory are never seen here.
    let underWay = Tally()
    let streams = Tally()
    let waits = Tally()

    init() {}

    /// - Parameter request: nil where it could not be read.
    func answered(_ request: Request?, by route: Route?, _ status: Status, after duration: Duration) {
        let series = Series.number(method: request?.method ?? .other, route, status)
        durations.observe(Int(truncatingIfNeeded: duration.nanoseconds), in: series)
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
            for number in 0..<Series.count {
                guard let total = durations.total(of: number) else { continue }
                let (method, route, status) = Series.labels(of: number)
                // OpenTelemetry: no route, no label.
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

/// The series of the histogram of requests: each route by each status, with a row of its own for HEAD; then each method
/// without a route. Only what occurs takes memory.
private enum Series {
    static let count = rows * Status.all.count

    private static let rows = 2 * Routes.all.count + Method.allCases.count

    /// The place of a status by its code.
    private static let statuses: [UInt8] = {
        var places = [UInt8](repeating: 0, count: 600)
        for (place, status) in Status.all.enumerated() { places[status.code] = UInt8(place) }
        return places
    }()

    static func number(method: Method, _ route: Route?, _ status: Status) -> Int {
        let row =
            if let route {
                2 * route.ordinal + (method == .head ? 1 : 0)
            } else {
                2 * Routes.all.count + (Method.allCases.firstIndex(of: method) ?? 0)
            }
        return row * Status.all.count + Int(statuses[status.code])
    }

    static func labels(of number: Int) -> (method: String, route: String?, status: String) {
        let (row, place) = number.quotientAndRemainder(dividingBy: Status.all.count)
        let status = String(Status.all[place].code)
        guard row < 2 * Routes.all.count else {
            return (Method.allCases[row - 2 * Routes.all.count].label, nil, status)
        }
        let route = Routes.all[row / 2]
        return (row.isMultiple(of: 2) ? route.method.label : Method.head.label, route.path.text, status)
    }
}

extension Method {
    /// OpenTelemetry's word for a method that is not known, which a client may have made up.
    fileprivate var label: String { self == .other ? "_OTHER" : rawValue }
}
