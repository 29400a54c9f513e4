/// How important a line of the log is.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    /// Its name where that has to cost nothing.
    package var word: StaticString {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// From the least important.
    package var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}

/// The least important level that is logged, to be changed while the server runs.
package protocol LogLevelControl: Sendable {
    var level: LogLevel { get }
    func change(to level: LogLevel)
}
