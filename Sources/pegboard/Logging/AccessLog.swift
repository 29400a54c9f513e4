import HTTP1
import LayoutAPI

extension Log {
    /// One line for each answered request; probes only at `debug`, or they would be most of the log.
    func exchange(_ exchange: Exchange) {
        if let unforeseen = exchange.unforeseen {
            return error(
                "unforeseen error",
                [
                    "requestId": .text(exchange.requestID?.description ?? ""), "route": .text(exchange.route ?? ""),
                    "error": .text(unforeseen),
                ])
        }
        let level: Level = exchange.isProbe ? .debug : .info
        guard isOn(level) else { return }
        let fields: KeyValuePairs<StaticString, Value> = [
            "requestId": .text(exchange.requestID?.description ?? ""),
            "traceId": .text(exchange.trace?.traceID ?? ""),
            "parentId": .text(exchange.trace?.parentID ?? ""),
            "method": .text(exchange.method?.rawValue ?? ""),
            "route": .text(exchange.route ?? ""),
            "status": .number(exchange.status),
            "bytes": .number(exchange.contentLength ?? 0),
            "durationMicroseconds": .number(exchange.duration?.microseconds ?? 0),
            "peer": .text(exchange.peer),
            "principal": .text(exchange.principal),
        ]
        if level == .debug { debug("request", fields) } else { info("request", fields) }
    }
}

extension Log {
    /// Where the time of a slow request went.
    func slow(_ request: SlowRequest) {
        warning(
            "slow request",
            [
                "requestId": .text(request.exchange.requestID?.description ?? ""),
                "traceId": .text(request.exchange.trace?.traceID ?? ""),
                "method": .text(request.exchange.method?.rawValue ?? ""),
                "route": .text(request.exchange.route ?? ""),
                "status": .number(request.exchange.status),
                "totalMicroseconds": .number(request.total.microseconds),
                "queueMicroseconds": .number(request.queue.microseconds),
                "ruleMicroseconds": .number(request.rule.microseconds),
                "commitMicroseconds": .number(request.commit.microseconds),
                "writeMicroseconds": .number(request.write.microseconds),
            ])
    }
}

extension Exchange {
    fileprivate var isProbe: Bool {
        guard let operation else { return false }
        return ["livez", "readyz", "healthz"].contains(operation.description)
    }
}

extension Duration {
    var microseconds: Int { Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000) }
    var milliseconds: Int { microseconds / 1_000 }
}
