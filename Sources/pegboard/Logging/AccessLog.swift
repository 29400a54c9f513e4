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
        append(level, "request", .soon) { line in
            if let id = exchange.requestID { line.add("requestId", id) }
            if let trace = exchange.trace {
                line.add("traceId", trace.traceID)
                line.add("parentId", trace.parentID ?? "")
            }
            line.add("method", exchange.method?.rawValue ?? "")
            line.add("route", exchange.route ?? "")
            line.add("status", exchange.status)
            line.add("bytes", exchange.contentLength ?? 0)
            line.add("durationMicroseconds", exchange.duration?.microseconds ?? 0)
            line.add("peer", exchange.peer)
            line.add("principal", exchange.principal)
        }
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
        operation.map { ["livez", "readyz", "healthz"].contains($0.description) } ?? false
    }
}

extension Duration {
    var microseconds: Int { Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000) }
    var milliseconds: Int { microseconds / 1_000 }
}
