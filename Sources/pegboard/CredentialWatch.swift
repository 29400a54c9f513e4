import Dispatch
import LayoutAPI

/// Keys and admin tokens: read at the start, again when their files change, and when asked to.
final class CredentialWatch: Sendable {
    let authenticator: Authenticator
    private let files: CredentialFiles
    /// Files are read here: never on an event loop, and never two at a time.
    private let queue = DispatchQueue(label: "credentials")
    // A source takes calls from any thread; it is only not declared to.
    nonisolated(unsafe) private let timer: any DispatchSourceTimer

    /// - Throws: `CommandFailure` 78 for a file that cannot be used.
    init(_ tokens: Configuration.Tokens, _ log: Log) throws {
        let files = CredentialFiles(tokens.files, algorithms: tokens.algorithms, access: .machine) {
            log.credentials($0)
        }
        do throws(CredentialFault) {
            // Without keys for users there is no token that these could be held against.
            authenticator = Authenticator(
                try files.load(), issuer: tokens.issuer ?? "", audience: tokens.audience ?? "",
                clock: Machine.nowAsOfLastTick)
        } catch {
            throw CommandFailure(.badConfiguration, "\(error)")
        }
        self.files = files
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        timer.setEventHandler { [authenticator] in files.reload(into: authenticator, onlyChanged: true) }
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Reads every file again, whether or not it seems to have changed; returns when that is done.
    func reload() {
        queue.sync { files.reload(into: authenticator, onlyChanged: false) }
    }
}

extension FileAccess {
    /// The files of this machine.
    fileprivate static let machine = FileAccess(
        read: { path in
            do { return try Machine.read(path) } catch let failure as CommandFailure {
                throw CredentialFault(failure.message)
            }
        },
        stamp: Machine.stamp)
}

extension Log {
    fileprivate func credentials(_ report: CredentialReport) {
        switch report {
        case .loaded(let path, let summary, let ignored):
            info("credentials read", ["file": .text(path), "holds": .text(summary)])
            for reason in ignored { warning("key left out", ["file": .text(path), "reason": .text(reason)]) }
        case .kept(let path, let reason):
            error("credentials not read, the old ones stay", ["file": .text(path), "reason": .text(reason)])
        }
    }
}
