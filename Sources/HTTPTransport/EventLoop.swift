internal import Dispatch
internal import Glibc
internal import HTTP1
internal import Synchronization

/// One thread's share of the server: it waits for its connections, reads, parses and answers them, and is the executor of
/// their tasks, so that nothing of a connection ever needs a lock.
///
/// It is one long-running work item on a serial queue of its own.
final class EventLoop: TaskExecutor {
    let configuration: ServerConfiguration
    let handler: any RequestHandler
    let counters: Counters

    let queue: DispatchQueue
    let inbox: Inbox
    let thread = Atomic<UInt>(0)

    // From here on: touched on the loop's thread alone.
    let poller: Poller
    var listeners: [Listener]
    /// For the connections to come; nil where HTTP is spoken plainly.
    var tls: TLSContext?
    /// Kept to be closed when no descriptor is left; see `EventLoop+Accept`.
    var reserve: Int32
    @exclusivity(unchecked) var connections = ConnectionTable()
    @exclusivity(unchecked) var deadlines = Deadlines()
    @exclusivity(unchecked) private var revisits: [Connection] = []
    private var nextDate = Instant.now
    @exclusivity(unchecked) private var requestCount = 0
    /// When the poller said what there is to do in this round.
    private(set) var roundBegan = Instant.now
    @exclusivity(unchecked) private var lastNumber = UInt64.random(in: 0 ... .max)
    private(set) var isDraining = false
    private var isEnding = false
    private var cutCount = 0
    private var handshakesLeft = EventLoop.handshakesPerRound
    /// How many requests a connection has answered in this round before others have their turn.
    @exclusivity(unchecked) private(set) var answersPerTurn = EventLoop.mostAnswersPerTurn
    @exclusivity(unchecked) private(set) var encoder: ResponseEncoder
    @exclusivity(unchecked) private(set) var now = Instant.now

    // Lent to the connection at work, see `Connection.borrow`.
    @exclusivity(unchecked) var input: InputBuffer
    @exclusivity(unchecked) var output: [UInt8] = []
    @exclusivity(unchecked) var request = Request()

    static let alarmToken = UInt64.max
    /// A handshake costs as much as a hundred requests: those who are in are not to wait for a crowd at the door.
    private static let handshakesPerRound = 8
    /// A read may bring more than a thousand requests, and hundreds of connections that do so would keep a health probe
    /// waiting for seconds: the more of them have something to do, the less each does at a time.
    private static let answersPerRound = 128
    private static let mostAnswersPerTurn = 32
    /// Of the first listener; the next ones have the tokens below.
    static let listenerToken = UInt64.max - 1

    init(
        _ index: Int, configuration: ServerConfiguration, handler: any RequestHandler, counters: Counters,
        listeners: [Listener], tls: TLSContext?
    ) throws(ServerError) {
        self.configuration = configuration
        self.handler = handler
        self.counters = counters
        self.listeners = listeners
        self.tls = tls
        queue = DispatchQueue(label: "pegboard.event-loop.\(index)")
        poller = try Poller()
        inbox = try Inbox()
        encoder = ResponseEncoder(serverFields: configuration.serverFields, date: time(nil))
        // Room for the largest head and then some, so that a read never finds the buffer full.
        input = InputBuffer(capacity: max(64 * 1024, 2 * configuration.limits.head))
        reserve = Self.openReserve()
        guard reserve >= 0, poller.addSource(inbox.alarm, token: Self.alarmToken),
            listeners.indices.allSatisfy(watchListener)
        else {
            throw .system(ServerError.words(errno))
        }
    }

    deinit {
        if reserve >= 0 { close(reserve) }
    }

    /// - Parameter whenEnded: is told how many connections had to be cut.
    func start(whenEnded: @escaping @Sendable (_ cut: Int) -> Void) {
        queue.async { [self] in
            becomeCurrent()
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
            roundBegan = now
            renewDate()
            handshakesLeft = Self.handshakesPerRound
            shareAnswers(between: count + revisits.count)
            for index in 0..<count { handle(poller.event(index)) }
            revisit()
            checkDeadlines()
            takeInbox()
            flushCounters()
            configuration.whenRoundEnds()
            if isDraining, connections.count == 0 { isEnding = true }
        }
        end()
    }

    private func shareAnswers(between connections: Int) {
        // Nearly every round has few: no division for those.
        answersPerTurn =
            connections <= Self.answersPerRound / Self.mostAnswersPerTurn
            ? Self.mostAnswersPerTurn : max(1, Self.answersPerRound / connections)
    }

    private func handle(_ event: Poller.Event) {
        if let connection = connections[event.token] {
            connection.handle(event)
        } else if event.token == Self.alarmToken {
            inbox.silence()
        } else if event.token > Self.listenerToken - UInt64(listeners.count) {
            accept(from: Int(Self.listenerToken - event.token))
        }
    }

    private var timeout: Int32 {
        guard revisits.isEmpty else { return 0 }
        guard let next = deadlines.next else { return -1 }
        // Rounded up: to wake a little late is to wake once.
        return Int32(clamping: max(0, (next.nanoseconds - now.nanoseconds) / 1_000_000 + 1))
    }

    /// Those before in the round may have taken long: how long is what the slow log calls the queue.
    func renewNow() { now = .now }

    private func renewDate() {
        guard now >= nextDate else { return }
        let seconds = time(nil)
        encoder.setDate(seconds)
        // More often than once a second, since this second began some time ago.
        nextDate = now + 100_000_000
    }

    /// Connections that have more to read than one turn allows.
    func revisit(later connection: Connection) {
        guard !connection.isRevisited else { return }
        connection.isRevisited = true
        revisits.append(connection)
    }

    private func revisit() {
        guard !revisits.isEmpty else { return }
        let connections = revisits
        revisits.removeAll(keepingCapacity: true)
        for connection in connections {
            connection.isRevisited = false
            connection.advance()
        }
    }

    /// Whether a step of a handshake may be taken in this round. If not, the connection is looked at in the next.
    func permitsHandshake(of connection: Connection) -> Bool {
        guard handshakesLeft > 0 else {
            revisits.append(connection)
            return false
        }
        handshakesLeft -= 1
        return true
    }

    /// - Returns: its number: from a random start on, each once, and none like the one before (SplitMix64).
    func countRequest() -> UInt64 {
        requestCount += 1
        lastNumber &+= 0x9e37_79b9_7f4a_7c15
        var number = lastNumber
        number = (number ^ (number >> 30)) &* 0xbf58_476d_1ce4_e5b9
        number = (number ^ (number >> 27)) &* 0x94d0_49bb_1331_11eb
        return number ^ (number >> 31)
    }

    private func flushCounters() {
        guard requestCount > 0 else { return }
        counters.requestsAnswered(requestCount)
        requestCount = 0
    }

    /// The end: whatever tasks are left go on without a connection, on the queue.
    private func end() {
        listeners.removeAll()
        inbox.close()
        work()
    }

    func obey(_ command: Inbox.Command) {
        now = .now
        switch command {
        case .drain:
            acceptRest()
            isDraining = true
            for connection in connections.all { connection.drain() }
        case .use(let context): tls = context
        case .cut:
            for connection in connections.all {
                if connection.isBusy { cutCount += 1 }
                connection.close()
            }
            isEnding = true
        }
    }
}
