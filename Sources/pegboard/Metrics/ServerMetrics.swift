import HTTPTransport
import LayoutAPI
import LayoutApplication
import LayoutModel
package import Metrics

extension Counters: MetricsSource {
    package func write(to text: inout MetricsText) {
        text.gauge("pegboard_connections_open", "Connections that are open.", open)
        text.counter("pegboard_connections_accepted_total", "Connections taken.", accepted)
        text.counter(
            "pegboard_connections_refused_total",
            "Connections answered 503 at the door: too many, or no descriptor left.", refused)
    }
}

extension CatalogService: MetricsSource {
    package func write(to text: inout MetricsText) {
        text.gauge("pegboard_catalog_revision", "The catalog in force; 0 before the first.", catalog.revision)
    }
}

/// Which program this is.
struct BuildMetrics: MetricsSource {
    func write(to text: inout MetricsText) {
        text.family("pegboard_build_info", .gauge, "Always 1; which program this is stands in the labels.") {
            $0.sample(["version": Version.text, "commit": Version.commit ?? ""], 1)
        }
    }
}

/// The files of the database.
struct DatabaseFileMetrics: MetricsSource {
    let path: String

    func write(to text: inout MetricsText) {
        text.gauge("pegboard_database_size_bytes", "The file of the database.", size(of: path))
        text.gauge("pegboard_wal_size_bytes", "Its write-ahead log; 0 where there is none.", size(of: path + "-wal"))
    }

    private func size(of path: String) -> Int { Machine.stamp(path).map { Int($0.size) } ?? 0 }
}
