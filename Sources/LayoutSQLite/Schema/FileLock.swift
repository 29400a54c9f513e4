import Glibc
import Locking

/// One process a database, for as long as the process lives. The kernel lets go of it however the process ends, so the file
/// is never deleted: another could lock the deleted one and a third the new one.
final class FileLock: Sendable {
    private let descriptor: Mutex<Int32?>

    /// - Parameter path: the resolved path of the database, so that two names of it share one lock.
    init(forDatabaseAt path: String) throws(OpenError) {
        let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .cannotWrite(path: path, reason: "its lock file cannot be opened, \(SystemError.text(errno))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            throw code == EWOULDBLOCK
                ? .inUse(path: path)
                : .io(path: path, reason: "its lock file cannot be locked, \(SystemError.text(code))")
        }
        self.descriptor = Mutex(descriptor)
    }

    func release() {
        descriptor.withLock { descriptor in
            if let held = descriptor { close(held) }
            descriptor = nil
        }
    }

    deinit { release() }
}
