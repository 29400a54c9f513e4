/// What the server, or the way to it, answered instead of a result.
package struct PostgresError: Error, Equatable, CustomStringConvertible {
    package enum Kind: Equatable, Sendable {
        /// The server's own answer. The statement was taken back, and the connection can go on.
        case answered(SQLState)
        /// The connection is gone, or was given up because the answer did not come in time.
        case lost
        /// The statement succeeded, with a warning that its commit may not be what was asked for.
        case warned(SQLState)
        /// Nobody could be connected to.
        case unreachable
    }

    package let kind: Kind
    /// For the log. Never a bound value: servers put those into the detail, which is not asked for.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String {
        switch kind {
        case .answered(let state), .warned(let state): "\(message) (SQLSTATE \(state))"
        case .lost, .unreachable: message
        }
    }

    package var state: SQLState? {
        if case .answered(let state) = kind { state } else { nil }
    }

    /// What is to be done, where all that was sent was a statement that only reads.
    package var meaningOfRead: SQLState.Meaning {
        switch kind {
        case .answered(let state):
            // What only reads has committed nothing.
            state.meaning == .unknown ? .elsewhere : state.meaning
        case .lost, .unreachable: .elsewhere
        case .warned: .refusal
        }
    }

    /// What is to be done, where a statement was sent that writes and commits.
    package var meaningOfWrite: SQLState.Meaning {
        switch kind {
        case .answered(let state):
            // An administrator's word may come between the commit and its answer. 25006 and 53300 come before either.
            state.meaning == .elsewhere && state.code != "25006" && state.code != "53300" ? .unknown : state.meaning
        case .lost, .warned: .unknown
        case .unreachable: .elsewhere
        }
    }

    /// Whether the connection is of no further use.
    package var endsConnection: Bool {
        switch kind {
        case .answered(let state): state.meaning == .elsewhere || state.meaning == .unknown
        case .warned: false
        case .lost, .unreachable: true
        }
    }
}

/// Why a statement came to nothing, and what is to be done about it.
package struct Setback: Error, Equatable, CustomStringConvertible {
    package let meaning: SQLState.Meaning
    package let error: PostgresError

    package init(meaning: SQLState.Meaning, error: PostgresError) {
        self.meaning = meaning
        self.error = error
    }

    package var description: String { error.description }
}
