import Dispatch
import LayoutAPI
import LayoutApplication
import LayoutModel
import LayoutSQLite

/// Copies of the database, and looks at it, as the commands and the API ask for them.
enum Copies {
    static let readCatalog: Audit.CatalogReader = { _ = try catalog(in: $0) }

    /// The same catalog, published anew under a number of its own: what was made of it under another number is asked for again.
    static func renumber(_ record: CatalogRecord, as revision: Int, at time: Timestamp) throws -> CatalogRecord {
        let renumbered = try catalog(in: record).stored(as: revision, layoutRevision: revision)
        return CatalogRecord(
            summary: .init(
                revision: revision, layoutRevision: revision, publishedAt: time, publishedBy: "pegboard restore"),
            document: CatalogCoding.json.encode(renumbered))
    }

    private static func catalog(in record: CatalogRecord) throws -> Catalog {
        try CatalogCoding.json.decode(record.document).validated(after: nil)
            .stored(as: record.summary.revision, layoutRevision: record.summary.layoutRevision)
    }

    /// The file of the configured database.
    ///
    /// - Throws: `CommandFailure` 64 for one in memory.
    static func file(of configuration: Configuration) throws -> String {
        guard case .file(let path) = configuration.database else {
            throw CommandFailure(.usage, "A database in memory has no file: name one with --database sqlite:PATH.")
        }
        return path
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
                case .exists, .sameFile, .underWay: .cannotCreate
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
