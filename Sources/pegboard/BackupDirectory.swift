import Glibc
import LayoutAPI
import LayoutRecords
import LayoutSQLite
import Locking

/// Makes the backups that the API is asked for: in one folder, one at a time.
final class BackupDirectory: Sendable {
    private let folder: String
    private let database: String
    private let log: Log
    private let isBusy = Mutex(false)

    /// - Throws: `CommandFailure` 78 where there is no such folder.
    init(_ folder: String, database: String, log: Log) throws {
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandFailure(.badConfiguration, "--backup-directory: '\(folder)' is no folder.")
        }
        self.folder = folder
        self.database = database
        self.log = log
    }

    /// - Parameter name: of a file in the folder; the API has looked at it.
    /// - Throws: `BackupRefused`.
    func make(_ name: String) async throws -> BackupReport {
        guard begin() else { throw BackupRefused.underWay }
        defer { isBusy.withLock { $0 = false } }
        let (database, destination) = (database, "\(folder)/\(name)")
        do {
            let summary = try await Copies.offPool {
                try Backup.make(
                    ofDatabaseAt: database, at: destination, replacing: false, readCatalog: Copies.readCatalog)
            }
            log.info("backed up", ["file": .text(name), "bytes": .number(summary.bytes)])
            return BackupReport(file: name, bytes: summary.bytes, layouts: summary.census.layouts)
        } catch {
            let refusal = Self.refusal(error)
            switch refusal {
            case .damaged, .unavailable: log.error("not backed up", ["file": .text(name), "error": .text("\(error)")])
            // Told to the caller, whose to cure it is.
            case .exists, .reservedName, .underWay: break
            }
            throw refusal
        }
    }

    private func begin() -> Bool {
        isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
    }

    private static func refusal(_ error: any Error) -> BackupRefused {
        switch error {
        case CopyError.exists, CopyError.sameFile: .exists
        case CopyError.reservedName: .reservedName
        case CopyError.underWay: .underWay
        case CopyError.notWhole, OpenError.damaged: .damaged
        default: .unavailable
        }
    }
}
