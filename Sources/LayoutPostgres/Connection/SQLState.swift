/// The five characters by which a server says what went wrong.
/// https://www.postgresql.org/docs/current/errcodes-appendix.html
package struct SQLState: Hashable, Sendable, CustomStringConvertible {
    package let code: String

    package init(_ code: String) { self.code = code }

    package var description: String { code }

    /// What is to be done about it.
    package enum Meaning: Equatable, Sendable {
        /// The transaction met another and was taken back: once more, from the beginning.
        case conflict
        /// This server, or this connection, is of no use any more, or not yet; another may be.
        case elsewhere
        /// Nobody knows whether the transaction was committed.
        case unknown
        /// It was stopped because it took too long, and taken back.
        case canceled
        /// It lies in the values of one of the changes; the others are innocent.
        case values
        /// The storage refuses, and will for some time.
        case refusal
    }

    package var meaning: Meaning {
        switch code {
        case "40001", "40P01": .conflict
        // Where an engine says that it cannot tell (CockroachDB), and where a connection broke in the commit.
        case "40003", "08007": .unknown
        // 25006: once the primary, now a standby. 57P0x: shutting down, crashed, starting. 53300: full.
        case "25006", "57P01", "57P02", "57P03", "57P05", "53300": .elsewhere
        case "57014", "55P03": .canceled
        case let code where code.hasPrefix("08"): .elsewhere
        case let code where code.hasPrefix("22") || code.hasPrefix("23"): .values
        default: .refusal
        }
    }

    /// 22012, which the statement that writes a change raises on purpose: see `ChangeStatement`.
    package static let divisionByZero = SQLState("22012")
    package static let undefinedTable = SQLState("42P01")
    /// No statement is prepared under this name; another one is.
    package static let unknownStatement = SQLState("26000")
    package static let statementIsThere = SQLState("42P05")
}
