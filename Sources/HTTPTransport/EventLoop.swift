internal import CSystem
internal import Dispatch
internal import Glibc
internal import HTTP1
internal import Locking
internal import Synchronization

/// One thread's share of the server: it waits for its connections, reads, parses and answers them, and is the executor of
/// their tasks, so that nothing of a connection ever needs a lock.
///
/// It is one long-running work item on a serial queue of its own.
final class EventLoop: TaskExecutor {
    enum Command {
        /// Stop accepting; end when the last connection has ended.
        case drain
        /// End now.
        case cut
    }

    private struct Inbox {
        var jobs: [UnownedJob] = []
        var commands: [Command] = []
        /// After the end there is nobody to wake: jobs go to the queue.
        var isClosed = false
    }

    let configuration: ServerConfiguration
    let handler: any RequestHandler
    let counters: Counters

    private let queue: DispatchQueue
    private let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt>(0)
    private let alarm: Int32

    // From here on: touched on the loop's thread alone.
    let poller: Poller
    var listeners: [Listener]
    /// Kept to be closed when no descriptor is left; see `EventLoop+Accept`.
    var reserve: Int32 = -1
    /// By descriptor.
    private var connections: [Connection?] = []
    private(set) var connectionCount = 0
    private var generation: UInt32 = 0
    private var deadlines = Deadlines()
    private var revisits: [Connection] = []
    private var nextDate = ContinuousClock.now
    private var requestCount = 0
    private(set) var isDraining = false
    private var isEnding = false
    private var cutCount = 0
    private(set) var encoder: ResponseEncoder
    private(set) var now = ContinuousClock.now

    // Lent to the connection at work, see `Connection.borrow`.
    var input: InputBuffer
    var output: [UInt8] = []
    var request = Request()

    static let alarmToken = UInt64.max
    /// Of the first listener; the next ones have the tokens below.
    static let listenerToken = UInt64.max - 1

    init(
        _ index: Int, configuration: ServerConfiguration, handler: any RequestHandler, counters: Counters,
        listeners: [Listener]
    ) throws(ServerError) {
        self.configuration = configuration
        self.handler = handler
        self.counters = counters
        self.listeners = listeners
        queue = DispatchQueue(label: "pegboard.event-loop.\(index)")
        poller = try Poller()
        alarm = system_eventfd()
        encoder = ResponseEncoder(serverFields: configuration.serverFields, date: time(nil))
        // Room for the largest head and then some, so that a read never finds the buffer full.
        input = InputBuffer(capacity: max(64 * 1024, 2 * configuration.limits.head))
        guard alarm >= 0, poller.addSource(alarm, token: Self.alarmToken) else {
            throw .system(ServerError.words(errno))
        }
        openReserve()
        for index in listeners.indices {
            guard watchListener(index) else { throw .system(ServerError.words(errno)) }
        }
    }

    deinit {
        close(alarm)
        if reserve >= 0 { close(reserve) }
    }

    /// - Parameter whenEnded: is told how many connections had to be cut.
    func start(whenEnded: @escaping @Sendable (_ cut: Int) -> Void) {
        queue.async { [self] in
            thread.store(UInt(pthread_self()), ordering: .relaxed)
            run()
            whenEnded(cutCount)
        }
    }
}

// @unchecked: `inbox` and `thread` are made for any thread; all the rest is touched on the loop's thread alone.
extension EventLoop: @unchecked Sendable {}

// MARK: The loop

extension EventLoop {
    private func run() {
        while !isEnding {
            let count = poller.wait(milliseconds: timeout)
            now = .now
            renewDate()
            for index in 0..<count { handle(poller.event(index)) }
            revisit()
            checkDeadlines()
            takeInbox()
            flushCounters()
            if isDraining, connectionCount == 0 { isEnding = true }
        }
        end()
    }

    private func handle(_ event: Poller.Event) {
        if let connection = connection(event.token) {
            now = .now
            connection.handle(event)
        } else if event.token == Self.alarmToken {
            var count: UInt64 = 0
            _ = read(alarm, &count, 8)
        } else if event.token > Self.listenerToken - UInt64(listeners.count) {
            accept(from: Int(Self.listenerToken - event.token))
        }
    }

    private var timeout: Int32 {
        guard revisits.isEmpty else { return 0 }
        guard let next = deadlines.next else { return -1 }
        let (seconds, attoseconds) = (next - .now).components
        // Rounded up: to wake a little late is to wake once.
        return Int32(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
    }

    private func renewDate() {
        guard now >= nextDate else { return }
        let seconds = time(nil)
        encoder.setDate(seconds)
        // Looked at a little more often than once a second, since the second began some time ago.
        nextDate = now + .milliseconds(100)
    }

    /// Connections that have more to read than one turn allows.
    func revisit(later connection: Connection) {
        revisits.append(connection)
    }

    private func revisit() {
        guard !revisits.isEmpty else { return }
        let connections = revisits
        revisits.removeAll(keepingCapacity: true)
        for connection in connections { connection.advance() }
    }

    func countRequest() {
        requestCount += 1
    }

    private func flushCounters() {
        guard requestCount > 0 else { return }
        counters.requestsAnswered(requestCount)
        requestCount = 0
    }

    /// The end: whatever tasks are left go on without a connection, on the queue.
    private func end() {
        listeners.removeAll()
        let rest = inbox.withLock { inbox in
            inbox.isClosed = true
            defer { inbox.jobs = [] }
            return inbox.jobs
        }
        for job in rest { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

// MARK: Connections

extension EventLoop {
    func add(_ connection: Connection) -> Bool {
        let index = Int(connection.socket.descriptor)
        guard poller.addConnection(connection.socket.descriptor, token: connection.token) else { return false }
        if index >= connections.count {
            connections.append(contentsOf: repeatElement(nil, count: index + 1 - connections.count))
        }
        connections[index] = connection
        connectionCount += 1
        watch(connection)
        return true
    }

    func remove(_ connection: Connection) {
        connections[Int(connection.socket.descriptor)] = nil
        connectionCount -= 1
    }

    /// A descriptor is used again as soon as it is closed: the generation tells its new owner from the old one's events.
    func nextToken(_ socket: Socket) -> UInt64 {
        generation = generation &+ 1 & 0x7fff_ffff
        return UInt64(generation) << 32 | UInt64(socket.descriptor)
    }

    private func connection(_ token: UInt64) -> Connection? {
        let index = Int(token & 0xffff_ffff)
        guard index < connections.count, let connection = connections[index], connection.token == token else {
            return nil
        }
        return connection
    }

    /// Sees to it that the connection is looked at when its deadline has come. Costs a comparison when it is looked at
    /// before that anyway.
    func watch(_ connection: Connection) {
        guard let deadline = connection.deadline else { return }
        let instant = min(deadline, now + Deadlines.horizon)
        if let watched = connection.watchedUntil, watched <= instant { return }
        connection.watchedUntil = instant
        deadlines.add(connection.token, at: instant)
    }

    /// Has a listener that was left alone looked at again.
    func watchListener(_ index: Int, at instant: ContinuousClock.Instant) {
        deadlines.add(Self.listenerToken - UInt64(index), at: instant)
    }

    private func checkDeadlines() {
        while let due = deadlines.popDue(at: now) {
            if let connection = connection(due.token) {
                // Another entry has taken the place of this one.
                guard connection.watchedUntil == due.instant else { continue }
                connection.watchedUntil = nil
                connection.expire()
            } else if due.token > Self.listenerToken - UInt64(listeners.count), due.token <= Self.listenerToken {
                _ = watchListener(Int(Self.listenerToken - due.token))
            }
        }
    }
}

// MARK: Commands and jobs

extension EventLoop {
    func send(_ command: Command) {
        put { $0.commands.append(command) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        put { $0.jobs.append(job) }
    }

    var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    private func put(_ add: (inout Inbox) -> Void) {
        enum Next { case nothing, wake, handOver }
        let next = inbox.withLock { inbox -> Next in
            let wasEmpty = inbox.jobs.isEmpty && inbox.commands.isEmpty
            add(&inbox)
            if inbox.isClosed { return .handOver }
            return wasEmpty ? .wake : .nothing
        }
        switch next {
        case .nothing: break
        case .wake:
            // The loop empties the inbox before it waits again.
            if isCurrent { break }
            var one: UInt64 = 1
            _ = write(alarm, &one, 8)
        case .handOver:
            queue.async { [self] in
                thread.store(UInt(pthread_self()), ordering: .relaxed)
                runJobs()
            }
        }
    }

    private func takeInbox() {
        let commands = inbox.withLock { inbox in
            defer { inbox.commands.removeAll() }
            return inbox.commands
        }
        for command in commands { obey(command) }
        runJobs()
    }

    /// Runs the jobs, and those that they bring forth. Tasks wait for something sooner or later, so this ends.
    private func runJobs() {
        while true {
            let jobs = inbox.withLock { inbox in
                defer { inbox.jobs.removeAll(keepingCapacity: false) }
                return inbox.jobs
            }
            if jobs.isEmpty { return }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    private func obey(_ command: Command) {
        now = .now
        switch command {
        case .drain:
            acceptRest()
            isDraining = true
            for case let connection? in connections { connection.drain() }
        case .cut:
            for case let connection? in connections {
                if connection.isBusy { cutCount += 1 }
                connection.close()
            }
            isEnding = true
        }
    }
}
