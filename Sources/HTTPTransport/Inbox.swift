internal import CSystem
internal import Glibc
internal import HTTP1
internal import Locking
internal import Synchronization

/// What other threads want of an event loop: work for its connections, and commands. An eventfd wakes the loop from its poller.
final class Inbox: Sendable {
    enum Command {
        /// Stop accepting; end when the last connection has ended.
        case drain
        /// Show this certificate to those who come from now on.
        case use(TLSContext)
        /// End now.
        case cut
    }

    /// What goes on with a connection that waited.
    enum Work {
        /// A step of its task.
        case job(UnownedJob)
        /// The answer that it was promised, which is made here.
        case answer(Connection, @Sendable () -> Response)
    }

    private struct State {
        var work: [Work] = []
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

    func put(_ work: Work) -> Next { put { $0.work.append(work) } }

    func put(_ command: Command) -> Next { put { $0.commands.append(command) } }

    private func put(_ add: (inout State) -> Void) -> Next {
        state.withLock { state in
            let wasEmpty = state.work.isEmpty && state.commands.isEmpty
            add(&state)
            if state.isClosed { return .handOver }
            // Whoever found it empty has woken the loop.
            return wasEmpty ? .wake : .nothing
        }
    }

    func takeWork() -> [Work] {
        state.withLock { state in
            defer { state.work = [] }
            return state.work
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
