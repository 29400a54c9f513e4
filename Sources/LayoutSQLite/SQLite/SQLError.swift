/// A call that SQLite refused, with what the log needs to tell why.
package struct SQLError: Error, Sendable, CustomStringConvertible {
    package let code: ResultCode
    /// The `errno` under it; 0 where the file system was not asked.
    package let systemError: Int32
    package let message: String
    /// What was being done: a statement's text or a word for the call. Never a bound value.
    package let action: String

    package var description: String {
        let system = systemError == 0 ? "" : ", errno \(systemError)"
        return "\(message) (SQLite \(code.rawValue)\(system)) in: \(excerpt)"
    }

    /// The beginning of `action` on one line: a migration is pages long.
    private var excerpt: String {
        let words = action.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.count > 120 ? words.prefix(120) + " …" : words
    }
}
