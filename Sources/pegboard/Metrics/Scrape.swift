import Dispatch
import HTTP1
import HTTPTransport
import LayoutAPI
import Metrics

/// All that has numbers to tell, in the order in which they are written.
struct Scrape: Sendable {
    var sources: [any MetricsSource] = [BuildMetrics(), ProcessMetrics()]

    var page: MetricsPage {
        MetricsPage { [sources] in
            await withCheckedContinuation { continuation in
                // Files are read for it: never on an event loop.
                DispatchQueue.global(qos: .utility).async {
                    var text = MetricsText()
                    for source in sources { source.write(to: &text) }
                    continuation.resume(returning: text)
                }
            }
        }
    }
}

extension ServerConfiguration {
    /// One loop, a few connections: monitors ask some times a minute.
    static func forMetrics(on address: ListenAddress) -> Self {
        var configuration = Self()
        configuration.addresses = [address]
        configuration.maxConnections = 64
        configuration.serverFields.append(name: "X-Content-Type-Options", value: "nosniff")
        return configuration
    }
}
