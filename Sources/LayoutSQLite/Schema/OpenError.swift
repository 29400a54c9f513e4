import Glibc

/// Why a database was not opened. Each case is something the operator can act on, and its text says how.
package enum OpenError: Error, Equatable, Sendable, CustomStringConvertible {
    case inUse(path: String)
    case empty(path: String)
    case foreign(path: String, reason: String)
    case newer(path: String, found: Int, known: Int)
    case changedMigration(path: String, version: Int, name: String)
    case needsMigration(path: String, found: Int, known: Int)
    case cannotCreate(path: String, reason: String)
    case cannotWrite(path: String, reason: String)
    case damaged(path: String, reason: String)
    case io(path: String, reason: String)

    package var description: String {
        switch self {
        case .inUse(let path):
            "\(path) is in use by another process. Stop that one first; a database belongs to one process."
        case .empty(let path):
            "\(path) is there but empty, so it may have lost its data. Restore a backup, or delete it to begin anew."
        case .foreign(let path, let reason):
            "\(path) is no Pegboard database: \(reason). Check the path, or restore a backup."
        case .newer(let path, let found, let known):
            "\(path) has schema \(found), this program knows \(known). Run the newer program, or restore an older backup."
        case .changedMigration(let path, let version, let name):
            "Migration \(version) (\(name)) is not the one that made \(path). Run the program that came with the database."
        case .needsMigration(let path, let found, let known):
            "\(path) has schema \(found), this program needs \(known). Run `pegboard migrate`."
        case .cannotCreate(let path, let reason):
            "\(path) cannot be created: \(reason). Check the folder, its permissions and the space left."
        case .cannotWrite(let path, let reason):
            "\(path) cannot be written: \(reason). Check permissions, mount options and the space left."
        case .damaged(let path, let reason):
            "\(path) is damaged: \(reason). Keep a copy of it and restore a backup."
        case .io(let path, let reason):
            "\(path) could not be read or changed: \(reason)."
        }
    }

    init(_ error: SQLError, at path: String) {
        self =
            switch error.code {
            case .notADatabase: .foreign(path: path, reason: "it is another kind of file, or its first page is damaged")
            case .corrupt: .damaged(path: path, reason: error.description)
            case .readOnly, .permission, .cannotOpen, .full: .cannotWrite(path: path, reason: error.description)
            case .busy: .inUse(path: path)
            case .ioError where [ENOSPC, EDQUOT, EROFS].contains(error.systemError):
                .cannotWrite(path: path, reason: error.description)
            default: .io(path: path, reason: error.description)
            }
    }

    /// Runs `body`, with what SQLite says of `path` put into the operator's words.
    static func telling<Result>(of path: String, _ body: () throws -> Result) throws(OpenError) -> Result {
        do { return try body() } catch let error as OpenError { throw error } catch let error as SQLError {
            throw OpenError(error, at: path)
        } catch { throw .io(path: path, reason: "\(error)") }
    }
}
