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
        let fields: KeyValuePairs<StaticString, Value> = [
            "method": .text(exchange.method?.rawValue ?? ""),
            "operation": .text(exchange.operation?.description ?? ""),
            "status": .number(exchange.status),
            "bytes": .number(exchange.contentLength ?? 0),
            "durationMicroseconds": .number(exchange.duration?.microseconds ?? 0),
            "peer": .text(exchange.peer),
            "principal": .text(exchange.principal),
        ]
        if level == .debug { debug("request", fields) } else { info("request", fields) }
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
