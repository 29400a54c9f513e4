import HTTP1
import LayoutAPI

extension Log {
    /// One line for each answered request; probes only at `debug`, or they would be most of the log.
    func exchange(_ exchange: borrowing Exchange) {
        if let unforeseen = exchange.unforeseen {
            return error(
                exchange.isStorageFault ? "request refused by the storage" : "unforeseen error",
                [
                    "requestId": .text(exchange.requestID?.description ?? ""), "route": .text(exchange.route ?? ""),
                    "error": .text(unforeseen),
                ])
        }
        let level: Level = exchange.isProbe ? .debug : .info
        guard isOn(level) else { return }
        append(level, "request", .soon, room: exchange.room, exchange) { line, exchange in
            if let id = exchange.requestID { line.add("requestId", id) }
            if let trace = exchange.trace {
                line.add("traceId", trace.traceID)
                line.add("parentId", trace.parentID ?? "")
            }
            line.add("method", exchange.method?.rawValue ?? "")
            line.add("route", exchange.route ?? "")
            line.add("status", exchange.status)
            line.add("bytes", exchange.contentLength ?? 0)
            line.add("durationMicroseconds", Int(exchange.nanoseconds / 1_000))
            line.add("peer", exchange.peer)
            line.add("principal", exchange.principal)
        }
    }
}

extension Exchange {
    /// What the fields of its line take at most: names, numbers and what is always as long; then what isn't.
    fileprivate var room: Int {
        200 + RequestID.longest + (trace == nil ? 0 : 128) + 6 * textLength
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

extension Duration {
    var microseconds: Int { Int(nanoseconds / 1_000) }
    var milliseconds: Int { microseconds / 1_000 }
}
