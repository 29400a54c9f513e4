package import LayoutModel

/// Something that is not as it should be in a database.
package struct Finding: Equatable, Sendable, CustomStringConvertible {
    /// The table, or `file` for what SQLite says of its pages.
    package let table: String
    /// Whose row it is: a user, a catalog's revision. Empty where it is no single row.
    package let key: String
    package let problem: String

    package init(table: String, key: String, problem: String) {
        self.table = table
        self.key = key
        self.problem = problem
    }

    package var description: String { key.isEmpty ? "\(table): \(problem)" : "\(table): \(key): \(problem)" }
}

/// What is in a database.
package struct Census: Equatable, Sendable {
    package var databaseID = ""
    package var versionFloor: Version = 0
    package var layouts = 0
    package var revisions = 0
    package var requests = 0
    package var catalogs = 0
    package var erased = 0
    /// The highest version that any user had, and the highest revision of a catalog.
    package var newestVersion: Version = 0
    package var newestCatalog = 0

    package init() {}

    package var rows: Int { layouts + revisions + requests + catalogs + erased }
}

/// How far a long piece of work is.
package struct WorkProgress: Equatable, Sendable {
    package enum Step: String, Sendable {
        case copying, checkingPages, checkingRows
    }

    package let step: Step
    /// In bytes where it copies, in rows where it checks them.
    package let done: Int
    /// 0 where nobody knows.
    package let total: Int

    package init(step: Step, done: Int, total: Int) {
        self.step = step
        self.done = done
        self.total = total
    }

    package typealias Observer = @Sendable (WorkProgress) -> Void
}
