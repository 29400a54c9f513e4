import HTTP1

/// The series of the histogram of requests: each route by each status, with a row of its own for HEAD; then each method
/// without a route. Only what occurs takes memory.
struct RequestSeries: Sendable {
    private let routes = Routes.all
    private let methods = Method.allCases
    private let statuses = Status.allCases
    /// The place of a status by its code.
    private let places: [UInt8]

    init() {
        var places = [UInt8](repeating: 0, count: 600)
        for (place, status) in statuses.enumerated() { places[status.code] = UInt8(place) }
        self.places = places
    }

    var count: Int { (2 * routes.count + methods.count) * statuses.count }

    func number(_ method: Method, _ route: Route?, _ status: Status) -> Int {
        let row =
            if let route {
                2 * route.ordinal + (method == .head ? 1 : 0)
            } else {
                2 * routes.count + (methods.firstIndex(of: method) ?? 0)
            }
        return row * statuses.count + Int(places[status.code])
    }

    /// - Returns: what OpenTelemetry calls its attributes; no route, no label.
    func labels(of number: Int) -> (method: String, route: String?, status: String) {
        let (row, place) = number.quotientAndRemainder(dividingBy: statuses.count)
        let status = String(statuses[place].code)
        guard row < 2 * routes.count else { return (methods[row - 2 * routes.count].label, nil, status) }
        let route = routes[row / 2]
        return (row.isMultiple(of: 2) ? route.method.label : Method.head.label, route.path.text, status)
    }
}

extension Method {
    /// OpenTelemetry's word for a method that is not known, which a client may have made up.
    fileprivate var label: String { self == .other ? "_OTHER" : rawValue }
}
