import CPostgreSQL

/// What the server said on the side of the statement under way.
final class Warnings {
    var first: (state: SQLState, message: String)?

    /// None of our statements earns a warning; the one there is says that a commit is on this server alone ("canceling wait
    /// for synchronous replication"), in whatever language the server speaks.
    static let receiver: PQnoticeReceiver = { context, notice in
        guard let context, let notice, let severity = pegboard_severity(notice), String(cString: severity) == "WARNING"
        else { return }
        let warnings = Unmanaged<Warnings>.fromOpaque(context).takeUnretainedValue()
        guard warnings.first == nil else { return }
        warnings.first = (
            SQLState(pegboard_sqlstate(notice).map { String(cString: $0) } ?? "01000"),
            pegboard_message(notice).map { String(cString: $0) } ?? "a warning"
        )
    }
}
