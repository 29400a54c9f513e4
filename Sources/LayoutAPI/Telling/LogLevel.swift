/// How important a line of the log is.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    /// From the least important.
    package var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The least important level that is logged, to be changed while the server runs.
package protocol LogLevelControl: Sendable {
    var level: LogLevel { get }
    func change(to level: LogLevel)
}
