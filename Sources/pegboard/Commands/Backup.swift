import LayoutAPI
import LayoutRecords
import LayoutSQLite

extension Command {
    static let backup = Command(
        name: "backup",
        summary: "Copy the database, also while a server uses it; the copy is checked before it gets its name",
        operands: [.init(name: "DEST")], settings: [.database],
        options: [.init(name: "force", help: "Replace DEST where it is there already")]
    ) { invocation in
        let (path, destination) = (try Copies.file(of: invocation.configuration), invocation.operands[0])
        let replacing = invocation.options["force"] != nil
        let summary = try await Copies.work { progress in
            try Backup.make(
                ofDatabaseAt: path, at: destination, replacing: replacing, readCatalog: Copies.readCatalog,
                progress: progress)
        }
        Machine.print("\(summary.path): \(Progress.bytes(Double(summary.bytes))), \(summary.census.text)\n")
    }

    static let restore = Command(
        name: "restore", summary: "Put a copy in the database's place, which no server may use; the old one is kept",
        operands: [.init(name: "SRC")], settings: [.database],
        options: [.init(name: "force", help: "Take the copy of another database")]
    ) { invocation in
        var restore = Restore(
            source: invocation.operands[0], database: try Copies.file(of: invocation.configuration), now: Machine.now(),
            readCatalog: Copies.readCatalog,
            renumberCatalog: { try Copies.renumber($0, as: $1, at: $2, by: "pegboard restore") })
        restore.force = invocation.options["force"] != nil
        let summary = try await Copies.work { [restore] progress in
            var restore = restore
            restore.progress = progress
            return try restore.run()
        }
        Machine.print("restored: \(summary.census.text); versions go on from \(summary.census.versionFloor)\n")
        if let kept = summary.kept { Machine.print("the old database is \(kept)\n") }
        if let count = summary.erasedSince, count > 0 {
            Machine.print("\(count) users were erased after this copy was made, and are back: erase them again\n")
        }
    }

    static let renumber = Command(
        name: "renumber",
        summary: "After PostgreSQL was recovered to an earlier moment: count on from above all that was handed out",
        settings: [.database]
    ) { invocation in
        guard case .postgreSQL(let url) = invocation.configuration.database else {
            throw CommandFailure(.badConfiguration, "`pegboard restore` has done that: this is for PostgreSQL alone.")
        }
        let (versionFloor, catalogRevision) = try await PostgresStorage.renumber(url)
        Machine.print("versions go on from \(versionFloor)\n")
        if let catalogRevision { Machine.print("the catalog is revision \(catalogRevision)\n") }
    }

    static let verify = Command(
        name: "verify",
        summary: "Look at everything the database holds, also while a server uses it; exit code 65 on findings",
        settings: [.database], options: [.init(name: "json", help: "Print one JSON object")]
    ) { invocation in
        let (name, report) = try await Copies.audit(invocation.configuration)
        if invocation.options["json"] != nil {
            Machine.print(json(report))
        } else {
            Machine.print(report.findings.map { "\($0)\n" }.joined())
            if report.findingCount == 0 { Machine.print("\(name): \(report.census.text); nothing is wrong\n") }
        }
        guard report.findingCount == 0 else {
            let count = report.findingCount
            throw CommandFailure(.badInput, "\(name): \(count == 1 ? "1 thing is" : "\(count) things are") wrong")
        }
    }

    private static func json(_ report: AuditReport) -> String {
        let census = report.census
        var json = JSONWriter()
        json.object { json in
            json.member("ok", report.findingCount == 0)
            json.member("databaseId", census.databaseID)
            json.member("versionFloor", census.versionFloor)
            json.name("counts")
            json.object { json in
                json.member("layouts", census.layouts)
                json.member("revisions", census.revisions)
                json.member("requests", census.requests)
                json.member("catalogs", census.catalogs)
                json.member("erased", census.erased)
            }
            json.member("findingCount", report.findingCount)
            json.name("findings")
            json.array(report.findings) { json, finding in
                json.object { json in
                    json.member("table", finding.table)
                    json.member("key", finding.key)
                    json.member("problem", finding.problem)
                }
            }
        }
        return String(decoding: json.octets, as: UTF8.self) + "\n"
    }
}
