import LayoutApplication

extension StoreError {
    init(_ error: SQLError) {
        self =
            switch error.code {
            case .corrupt, .notADatabase: .damaged(what: error.description)
            default: .unavailable(reason: error.description)
            }
    }

    /// Runs `body`, with SQLite's errors told in the port's words.
    static func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLError { throw StoreError(error) }
    }

    var isDamage: Bool { if case .damaged = self { true } else { false } }
}
