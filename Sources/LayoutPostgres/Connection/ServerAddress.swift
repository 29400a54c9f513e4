import CPostgreSQL
import Locking

/// Where a PostgreSQL is, as libpq's connection URIs say it; several hosts with commas between them.
/// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING
package struct ServerAddress: Sendable {
    package let url: String
    /// Whether libpq can make sense of it.
    package let isUnderstood: Bool
    /// One of them, in the words that libpq has for it; none where there is only one.
    private let hosts: [[Option]]
    /// Which is tried first.
    private let first = First()

    typealias Option = (keyword: String, value: String)

    private final class First: Sendable { let number = Mutex(0) }

    package init(_ url: String) {
        self.url = url
        let parsed = PQconninfoParse(url, nil)
        defer { PQconninfoFree(parsed) }
        isUnderstood = parsed != nil
        hosts = parsed.map(Self.hosts) ?? [[]]
    }

    /// What libpq is told to reach each of the hosts, in the order in which they are to be tried.
    var candidates: [(number: Int, options: [Option])] {
        let first = self.first.number.withLock { $0 }
        return hosts.indices.map { (first + $0) % hosts.count }.map { ($0, options(at: hosts[$0])) }
    }

    /// A host took a connection: it is the first to be asked again.
    func prefer(_ number: Int) { first.number.withLock { $0 = number } }

    /// A connection to it broke: others come first.
    func distrust(_ number: Int) { first.number.withLock { if $0 == number { $0 = (number + 1) % hosts.count } } }

    /// In order; where a word comes twice, the later one counts.
    private func options(at host: [Option]) -> [Option] {
        [
            ("application_name", "pegboard"),
            // A host that was once the primary and is a standby now is passed over.
            ("target_session_attrs", "read-write"),
            // A host that is gone without a word is noticed before the requests' own deadlines.
            ("keepalives_idle", "5"),
            ("keepalives_interval", "2"),
            ("keepalives_count", "2"),
            ("tcp_user_timeout", "5000"),
            ("dbname", url),
            ("client_encoding", "UTF8"),
        ] + host
    }

    /// libpq's own way through them would not do: connecting without blocking, it stays with a host that takes the connection
    /// and then says nothing, as a frozen one does.
    private static func hosts(in parsed: UnsafeMutablePointer<PQconninfoOption>) -> [[Option]] {
        var lists: [(keyword: String, values: [String])] = []
        var option = parsed
        while let keyword = option.pointee.keyword {
            let name = String(cString: keyword)
            if ["host", "hostaddr", "port"].contains(name), let value = option.pointee.val {
                let values = String(cString: value).split(separator: ",", omittingEmptySubsequences: false)
                lists.append((name, values.map(String.init)))
            }
            option += 1
        }
        let count = lists.filter { $0.keyword != "port" }.map(\.values.count).max() ?? 1
        guard count > 1 else { return [[]] }
        return (0..<count).map { place in
            // One port may stand for all hosts.
            lists.map { ($0.keyword, $0.values[min(place, $0.values.count - 1)]) }
        }
    }
}
