internal import CSystem
internal import Glibc
internal import Locking
internal import Synchronization

/// What other threads want of an event loop: jobs of its tasks, and commands. An eventfd wakes the loop from its poller.
final class Inbox: Sendable {
    enum Command {
        /// Stop accepting; end when the last connection has ended.
        case drain
        /// Show this certificate to those who come from now on.
        case use(TLSContext)
        /// End now.
        case cut
    }

    private struct State {
        var jobs: [UnownedJob] = []
        var commands: [Command] = []
        var isClosed = false
    }

    /// What has to be done about something that was put in.
    enum Next {
        case nothing
        case wake
        /// The loop has ended: nobody will look here.
        case handOver
    }

    let alarm: Int32
    private let state = Mutex(State())

    init() throws(ServerError) {
        alarm = system_eventfd()
        guard alarm >= 0 else { throw .system(ServerError.words(errno)) }
    }

    deinit {
        Glibc.close(alarm)
    }

    func put(_ job: UnownedJob) -> Next { put { $0.jobs.append(job) } }

    func put(_ command: Command) -> Next { put { $0.commands.append(command) } }

    private func put(_ add: (inout State) -> Void) -> Next {
        state.withLock { state in
            let wasEmpty = state.jobs.isEmpty && state.commands.isEmpty
            add(&state)
            if state.isClosed { return .handOver }
            // Whoever found it empty has woken the loop.
            return wasEmpty ? .wake : .nothing
        }
    }

    func takeJobs() -> [UnownedJob] {
        state.withLock { state in
            defer { state.jobs = [] }
            return state.jobs
        }
    }

    func takeCommands() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
    }

    func wake() {
        var one: UInt64 = 1
        _ = write(alarm, &one, 8)
    }

    func silence() {
        var count: UInt64 = 0
        _ = read(alarm, &count, 8)
    }
}
