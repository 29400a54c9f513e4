import Glibc
import HTTPTransport

/// Sockets that the service manager has opened and hands over: `sd_listen_fds(3)`.
enum HandedOverSockets {
    struct Socket: Sendable, Equatable {
        var descriptor: Int32
        /// `FileDescriptorName=` of the socket's unit; empty where nobody said.
        var name: String

        var address: ListenAddress { .descriptor(descriptor) }
    }

    /// SD_LISTEN_FDS_START: 0 to 2 are the standard ones.
    private static let first: Int32 = 3

    /// - Returns: none where they are another process's: the variables are inherited, the sockets are not meant to be.
    static func of(_ environment: [String: String], process: Int32 = getpid()) -> [Socket] {
        guard environment["LISTEN_PID"] == "\(process)",
            let count = environment["LISTEN_FDS"].flatMap(Int32.init), (1...1_000).contains(count)
        else { return [] }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).map { index in
            Socket(descriptor: first + index, name: names.indices.contains(Int(index)) ? String(names[Int(index)]) : "")
        }
    }
}

extension Configuration {
    /// Listens on what was handed over. A socket with the name `metrics` is for `--metrics-listen`; the others take the place
    /// of the default of `--listen`. Where these are given, they have to name the sockets.
    ///
    /// - Throws: `CommandFailure` 78 for a socket that nobody would accept from: its clients would wait for ever.
    mutating func take(_ sockets: [HandedOverSockets.Socket], listenIsGiven: Bool) throws {
        let forMetrics = sockets.first { $0.name == "metrics" }
        if metricsListen == nil { metricsListen = forMetrics?.address }
        let others = sockets.filter { $0 != forMetrics }
        if !listenIsGiven, !others.isEmpty { listen = others.map(\.address) }
        if let forgotten = sockets.first(where: { !listen.contains($0.address) && metricsListen != $0.address }) {
            let name = forgotten.name.isEmpty ? "" : " (\(forgotten.name))"
            throw CommandFailure(
                .badConfiguration,
                "The service manager hands over \(forgotten.address)\(name), and neither --listen nor --metrics-listen names "
                    + "it. Leave them out, or add \(forgotten.address).")
        }
    }
}
