import LayoutAPI
import LayoutMigrations
import LayoutSQLite

extension Command {
    static let migrate = Command(
        name: "migrate", summary: "Bring the database to this version's schema", settings: [.database],
        options: [
            .init(name: "status", help: "Print what was applied and what is to come, and change nothing"),
            .init(name: "dry-run", help: "Apply what is to come and take it back"),
        ]
    ) { invocation in
        guard case .file(let path) = invocation.configuration.database else {
            throw CommandFailure(.usage, "A database in memory has nothing to migrate.")
        }
        do throws(OpenError) {
            if invocation.options["status"] != nil {
                for step in try SQLiteSchema.status(ofDatabaseAt: path).steps {
                    let applied = step.appliedAt.map { "applied \(rfc3339($0))" } ?? "to come"
                    Machine.print("\(step.version) \(step.name): \(applied)\n")
                }
                return
            }
            let isRehearsal = invocation.options["dry-run"] != nil
            let steps = try SQLiteSchema.migrate(databaseAt: path, dryRun: isRehearsal)
            for step in steps {
                Machine.print("\(step.version) \(step.name): \(isRehearsal ? "would be applied" : "applied")\n")
            }
            if steps.isEmpty { Machine.print("up to date\n") }
        } catch {
            throw Storage.failure(error)
        }
    }
}
