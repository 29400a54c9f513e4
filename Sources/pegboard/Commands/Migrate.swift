import LayoutAPI
import LayoutMigrations

extension Command {
    static let migrate = Command(
        name: "migrate", summary: "Bring the database to this version's schema", settings: [.database],
        options: [
            .init(name: "status", help: "Print what was applied and what is to come, and change nothing"),
            .init(name: "dry-run", help: "Apply what is to come and take it back"),
        ]
    ) { invocation in
        let isRehearsal = invocation.options["dry-run"] != nil
        let database = invocation.configuration.database
        if invocation.options["status"] != nil {
            for step in try await Storage.schema(of: database).steps {
                let applied = step.appliedAt.map { "applied \(rfc3339($0))" } ?? "to come"
                Machine.print("\(step.version) \(step.name): \(applied)\n")
            }
            return
        }
        let steps = try await Storage.migrate(database, dryRun: isRehearsal)
        for step in steps {
            Machine.print("\(step.version) \(step.name): \(isRehearsal ? "would be applied" : "applied")\n")
        }
        if steps.isEmpty { Machine.print("up to date\n") }
    }
}
