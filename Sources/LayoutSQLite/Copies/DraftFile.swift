import Glibc
import LayoutRecords

/// A copy in the making, beside the place that it is meant for.
final class DraftFile {
    let path: String
    private let target: DatabaseFile
    private let descriptor: Int32
    private var isMoved = false

    /// What the copy is made for. Its name says so, and is no other file's: `Backup` makes none that ends like this, and whoever
    /// names a file for the API has no `~` to do it with.
    enum Purpose: String, CaseIterable {
        case backup = "partial"
        case restore = "restoring"

        var suffix: String { ".\(rawValue)~" }
    }

    /// What was left of one that was interrupted is made anew.
    ///
    /// - Throws: `CopyError.underWay` while another process makes the same.
    init(beside target: DatabaseFile, as purpose: Purpose) throws {
        self.target = target
        path = target.path + purpose.suffix
        // For its owner alone: it holds what users have.
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw cannotCreate(target, SystemError.text(errno)) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw CopyError.underWay(path: target.path)
        }
        // Between opening and locking another process may have finished its copy and moved this very file into place.
        guard Self.isFile(at: path, descriptor) else {
            close(descriptor)
            throw CopyError.underWay(path: target.path)
        }
        unlink(path + "-journal")
        guard ftruncate(descriptor, 0) == 0 else {
            let reason = SystemError.text(errno)
            discard()
            throw cannotCreate(target, reason)
        }
    }

    /// Copies what `connection` sees now.
    func fill(from connection: Connection, progress: @escaping WorkProgress.Observer) throws {
        do {
            let pages = try connection.integer("PRAGMA page_count") - connection.integer("PRAGMA freelist_count")
            let total = try pages * connection.integer("PRAGMA page_size")
            let size = { @Sendable [descriptor] in Self.size(of: descriptor) }
            connection.whileWorking { progress(WorkProgress(step: .copying, done: min(size(), total), total: total)) }
            defer { connection.whileWorking {} }
            try connection.prepare("VACUUM INTO ?1").run(path)
            progress(WorkProgress(step: .copying, done: total, total: total))
        } catch let error as SQLError {
            switch error.code {
            case .corrupt, .notADatabase: throw OpenError(error, at: connection.path)
            case .full, .readOnly, .permission, .cannotOpen, .ioError: throw cannotCreate(target, error.description)
            default: throw OpenError(error, at: connection.path)
            }
        }
    }

    /// Looks at all of it.
    ///
    /// - Throws: `CopyError.notWhole`.
    func check(
        readCatalog: @escaping Audit.CatalogReader, progress: @escaping WorkProgress.Observer
    ) throws -> Census {
        let connection = try DatabaseFile(path).visit()
        let report = try OpenError.telling(of: path) {
            try Audit.run(on: connection, readCatalog: readCatalog, progress: progress)
        }
        try OpenError.telling(of: path) { try connection.close() }
        guard report.findings.isEmpty else { throw CopyError.notWhole(path: path, findings: report.findings) }
        return report.census
    }

    /// - Returns: its size in bytes.
    func sync() throws -> Int {
        guard fsync(descriptor) == 0 else { throw cannotCreate(target, SystemError.text(errno)) }
        return Self.size(of: descriptor)
    }

    /// Gives it the name it was made for; what had that name is gone.
    func moveIntoPlace() throws {
        // SQLite would replay the log of what had that name into this one.
        for suffix in DatabaseFile.logSuffixes { unlink(target.path + suffix) }
        guard rename(path, target.path) == 0 else { throw cannotCreate(target, SystemError.text(errno)) }
        isMoved = true
        do { try target.syncFolder() } catch { throw cannotCreate(target, "\(error)") }
    }

    /// Deletes what has not been moved. To be called in any case.
    func discard() {
        if !isMoved { for suffix in ["", "-journal"] { unlink(path + suffix) } }
        close(descriptor)
    }

    private static func isFile(at path: String, _ descriptor: Int32) -> Bool {
        var (named, opened) = (stat(), stat())
        return stat(path, &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_ino == opened.st_ino
    }

    private static func size(of descriptor: Int32) -> Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }
}

private func cannotCreate(_ target: DatabaseFile, _ reason: String) -> OpenError {
    .cannotCreate(path: target.path, reason: reason)
}
