/// Where a PostgreSQL is, as libpq's connection URIs say it; several hosts with commas between them.
/// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING
package struct ServerAddress: Sendable {
    package let url: String

    package init(_ url: String) { self.url = url }

    /// What libpq is told, in order: the later word counts.
    var options: [(keyword: String, value: String)] {
        [
            ("application_name", "pegboard"),
            // A host that was once the primary and is a standby now is passed over.
            ("target_session_attrs", "read-write"),
            // A host that is gone without a word is noticed before the requests' own deadlines.
            ("connect_timeout", "2"),
            ("keepalives_idle", "5"),
            ("keepalives_interval", "2"),
            ("keepalives_count", "2"),
            ("tcp_user_timeout", "5000"),
            ("dbname", url),
            ("client_encoding", "UTF8"),
        ]
    }
}
