/// Where a database stands: every migration of this program, oldest first.
package struct MigrationStatus: Equatable, Sendable {
    package let steps: [Step]
    package var pending: [Step] { steps.filter { $0.appliedAt == nil } }

    package init(steps: [Step]) { self.steps = steps }

    package struct Step: Equatable, Sendable {
        package let version: Int
        package let name: String
        /// In milliseconds since 1970; nil where it is still to come.
        package let appliedAt: Int64?

        package init(version: Int, name: String, appliedAt: Int64?) {
            self.version = version
            self.name = name
            self.appliedAt = appliedAt
        }
    }
}
