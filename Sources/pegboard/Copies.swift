import Dispatch
import LayoutAPI
import LayoutApplication
import LayoutModel
import LayoutRecords
import LayoutSQLite

/// Copies of the database, and looks at it, as the commands and the API ask for them.
enum Copies {
    static let readCatalog: Audit.CatalogReader = { _ = try catalog(in: $0) }

    /// The same catalog, published anew under a number of its own: what was made of it under another number is asked for again.
    static func renumber(
        _ record: CatalogRecord, as revision: Int, at time: Timestamp, by command: String
    ) throws -> CatalogRecord {
        let renumbered = try catalog(in: record).stored(as: revision, layoutRevision: revision)
        return CatalogRecord(
            summary: .init(revision: revision, layoutRevision: revision, publishedAt: time, publishedBy: command),
            document: CatalogCoding.json.encode(renumbered))
    }

    private static func catalog(in record: CatalogRecord) throws -> Catalog {
        try CatalogCoding.json.decode(record.document)
            .published(as: record.summary.revision, layoutRevision: record.summary.layoutRevision)
    }

    /// The file of the configured database.
    ///
    /// - Throws: `CommandFailure` 78 for one that has none.
    static func file(of configuration: Configuration) throws -> String {
        switch configuration.database {
        case .file(let path): return path
        case .memory:
            throw CommandFailure(
                .badConfiguration, "A database in memory has no file: name one with --database sqlite:PATH.")
        case .postgreSQL:
            throw CommandFailure(
                .badConfiguration,
                "PostgreSQL has its own tools to copy a database and to put one back: pg_dump, or base backups with "
                    + "point-in-time recovery. `pegboard layouts export` writes the layouts alone.")
        }
    }

    /// Looks at everything that the configured database holds.
    ///
    /// - Returns: what the database is called, and what was found.
    static func audit(_ configuration: Configuration) async throws -> (name: String, report: AuditReport) {
        if case .postgreSQL(let url) = configuration.database {
            let meter = ProgressMeter()
            defer { meter.finish() }
            let report = try await PostgresStorage.audit(url, readCatalog: readCatalog) { meter.show(Progress($0)) }
            return (Configuration.Database.withoutPassword(url), report)
        }
        let path = try file(of: configuration)
        let report = try await work { progress in
            try Audit.run(onDatabaseAt: path, readCatalog: readCatalog, progress: progress)
        }
        return (path, report)
    }

    /// Runs `body`, which shows its progress, away from the threads that everybody shares.
    static func work<Result: Sendable>(
        _ body: @escaping @Sendable (@escaping WorkProgress.Observer) throws -> Result
    ) async throws -> Result {
        let meter = ProgressMeter()
        defer { meter.finish() }
        do {
            return try await offPool { try body { meter.show(Progress($0)) } }
        } catch {
            throw failure(error)
        }
    }

    static func offPool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(with: Swift.Result(catching: body)) }
        }
    }

    private static func failure(_ error: any Error) -> any Error {
        switch error {
        case let error as OpenError: return Storage.failure(error)
        case let error as CopyError:
            let code: ExitCode =
                switch error {
                case .exists, .sameFile, .reservedName, .underWay: .cannotCreate
                case .missing, .notWhole, .otherDatabase: .badInput
                }
            return CommandFailure(code, "\(error)")
        default: return error
        }
    }
}

extension Census {
    /// For people.
    var text: String {
        "\(layouts) layouts, \(revisions) revisions, \(requests) requests, \(catalogs) catalogs, \(erased) erased"
    }
}
