import HTTP1
import LayoutAPI

extension Log {
    /// One line for each answered request; probes only at `debug`, or they would be most of the log.
    func exchange(_ exchange: Exchange) {
        if let unforeseen = exchange.unforeseen {
            return error(
                "unforeseen error",
                ["operation": .text(exchange.operation?.description ?? ""), "error": .text(unforeseen)])
        }
        let level: Level = exchange.isProbe ? .debug : .info
        guard isOn(level) else { return }
        append(level, "request", .soon) { line in
            line.add("method", exchange.method?.rawValue ?? "")
            line.add("operation", exchange.operation ?? "")
            line.add("status", exchange.status)
            line.add("bytes", exchange.contentLength ?? 0)
            line.add("durationMicroseconds", exchange.duration?.microseconds ?? 0)
            line.add("peer", exchange.peer)
            line.add("principal", exchange.principal)
        }
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
