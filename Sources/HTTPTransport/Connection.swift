internal import HTTP1

/// One peer: its socket, what it has sent and has still to get. All decisions are `ConnectionState`'s and
/// `RequestParser`'s; here they meet the socket.
///
/// It lives on its event loop's thread and is touched nowhere else.
final class Connection {
    let socket: Socket
    /// Stands between the socket and us; nil where HTTP is spoken plainly.
    let tls: TLSSession?
    let token: UInt64
    let peer: String
    let loop: EventLoop

    // Here and in `EventLoop`, `@exclusivity(unchecked)` marks what each request touches several times: the checks at run
    // time took 0.7 of 4.5 µs a request. What they would find cannot be: one thread, and `isAdvancing` keeps it from
    // coming back here in the middle of a turn.
    @exclusivity(unchecked) var parser: RequestParser
    @exclusivity(unchecked) var state: ConnectionState
    @exclusivity(unchecked) var request = Request()
    /// Received and not yet parsed, while another connection is at work.
    @exclusivity(unchecked) var kept: [UInt8] = []
    /// Answers not yet sent, of which the first `sent` octets are.
    @exclusivity(unchecked) var output: [UInt8] = []
    @exclusivity(unchecked) var sent = 0

    /// Those who want to know when the output is sent, and since when they wait.
    @exclusivity(unchecked) private var unsent: [@Sendable (Duration) -> Void] = []
    private var unsentSince = Instant(nanoseconds: 0)

    /// Works out an answer, or streams one.
    var task: Task<Void, Never>?
    var taskNumber = 0
    /// How the answer being streamed is framed.
    var streaming: ResponseEncoder.Framing?
    @exclusivity(unchecked) var streamWaiters: [CheckedContinuation<Void, any Error>] = []
    /// The content that the handler takes in pieces; nil where it has the whole request.
    @exclusivity(unchecked) var intake: Intake?

    // The poller tells of changes alone, so what it said last is kept.
    @exclusivity(unchecked) var isReadable = false
    /// Whether the peer has ended its side, perhaps with octets still to be read before that.
    @exclusivity(unchecked) var hasEndInSight = false
    @exclusivity(unchecked) private(set) var isAdvancing = false
    @exclusivity(unchecked) private(set) var isClosed = false
    @exclusivity(unchecked) private var hasBorrowedOutput = false
    @exclusivity(unchecked) private var hasBorrowedRequest = false
    /// When the loop will look here next; nil when it won't.
    var watchedUntil: Instant?

    /// How often one turn reads before others have theirs.
    private static let readsPerTurn = 4
    @exclusivity(unchecked) var answersLeft = 0
    /// Whether the loop comes back in its next round.
    @exclusivity(unchecked) var isRevisited = false

    init(_ socket: Socket, tls: TLSSession?, peer: String, loop: EventLoop) {
        self.socket = socket
        self.tls = tls
        self.peer = peer
        self.loop = loop
        token = loop.connections.nextToken(socket)
        parser = RequestParser(limits: loop.configuration.limits)
        state = ConnectionState(timeouts: loop.configuration.timeouts, shakesHands: tls != nil, at: loop.now)
    }

    var deadline: Instant? { state.deadline }

    /// Whether somebody is waiting for an answer.
    var isBusy: Bool {
        switch state.phase {
        case .handshaking, .idle, .lingering: !output.isEmpty
        case .readingHead, .readingContent, .answering, .closing: true
        }
    }
}

// @unchecked: touched on the loop's thread alone; tasks that capture it run there, see `EventLoop.enqueue`.
extension Connection: @unchecked Sendable {}

// MARK: What happens to it

extension Connection {
    func handle(_ event: Poller.Event) {
        if event.isBroken { return close() }
        if ConnectionFault.takesHalfClosedForGone, event.hasPeerEnded { return close() }
        // TLS may have to write in order to read, and the other way round: any change is a chance for both.
        if event.isReadable || tls != nil { isReadable = true }
        if event.hasPeerEnded { hasEndInSight = true }
        if event.isWritable || tls != nil, sent < output.count { flush() }
        advance()
    }

    func expire() {
        switch state.expire(at: loop.now) {
        case .nothing: loop.watch(self)
        case .close where state.phase == .idle && output.isEmpty: end()
        case .close: close()
        case .refuse: refuse(.requestTimeout)
        case .failContent:
            state.contentCame(0, at: loop.now)
            intake?.end(.failure(ProtocolError.requestTimeout))
            loop.watch(self)
        case .lastLook:
            isReadable = true
            repeat { advance() } while answersLeft == 0 && state.phase == .idle && !isClosed
            if state.phase == .idle { end() }
        }
    }

    func drain() {
        state.drain(at: loop.now)
        if streaming != nil { task?.cancel() }
        intake?.end(.failure(StreamError.draining))
        loop.watch(self)
    }

    /// Gives the last answer, to a message that is not taken.
    func refuse(_ error: ProtocolError) {
        let response = loop.refusal(error)
        _ = state.decidePersistence(asked: false)
        _ = loop.encoder.append(response, for: ResponseEncoder.Context(), to: &output)
        state.lastAnswerGiven()
        if !isAdvancing { advance() }
    }

    /// Closes a connection on which everything has been said.
    private func end() {
        guard !isClosed else { return }
        _ = tls?.sayEnd()
        close()
    }

    /// Closes in the middle. Over TLS the peer can tell: no close_notify comes.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        task?.cancel()
        resumeStream(throwing: StreamError.peerGone)
        tellSent()
        intake?.end(.failure(StreamError.peerGone))
        intake = nil
        loop.connections.remove(self)
        loop.counters.connectionClosed()
        if !ConnectionFault.leaksSockets { socket.close() }
    }
}

// MARK: Telling when the output is sent

extension Connection {
    func tell(_ whenSent: @escaping @Sendable (Duration) -> Void) {
        if unsent.isEmpty { unsentSince = .now }
        unsent.append(whenSent)
    }

    func tellSent() {
        guard !unsent.isEmpty else { return }
        let waited = Duration.nanoseconds(Instant.now.nanoseconds - unsentSince.nanoseconds)
        for whenSent in unsent { whenSent(waited) }
        unsent = []
    }
}

// MARK: Going on

extension Connection {
    /// Does all that can be done now: parse, answer, send, read, in this order until one of them has to wait.
    ///
    /// - Parameter answer: of the handler, which was worked out meanwhile.
    func advance(with answer: Response? = nil) {
        guard !isClosed, !isAdvancing else { return }
        isAdvancing = true
        loop.renewNow()
        borrow()
        if let answer { respond(answer) }
        proceed()
        flush()
        giveBack()
        isAdvancing = false
        settle()
    }

    private func proceed() {
        if state.phase == .handshaking { shakeHands() }
        var reads = Self.readsPerTurn
        answersLeft = loop.answersPerTurn
        if intake != nil { takeContent(&reads) }
        while state.takesOctets, !isClosed {
            let needsMore = takeRequests()
            flush()
            guard answersLeft > 0 || needsMore else { return loop.revisit(later: self) }
            if needsMore {
                guard isReadable else { return }
                guard reads > 0 else { return loop.revisit(later: self) }
                reads -= 1
                receive()
            } else if !hasRoom {
                return
            }
        }
    }

    /// Takes over the loop's buffers for the turn, so that a connection at rest holds none.
    private func borrow() {
        loop.input.restore(&kept)
        hasBorrowedOutput = output.isEmpty
        if hasBorrowedOutput { swap(&output, &loop.output) }
        hasBorrowedRequest = !parser.isInside && (state.phase == .idle || state.phase == .handshaking)
        if hasBorrowedRequest { swap(&request, &loop.request) }
    }

    private func giveBack() {
        kept = loop.input.takeRest()
        if hasBorrowedOutput, output.isEmpty { swap(&output, &loop.output) }
        if hasBorrowedRequest, !parser.isInside, state.phase != .answering { swap(&request, &loop.request) }
    }

    /// What follows from everything being sent.
    func settle() {
        guard !isClosed else { return }
        if output.isEmpty {
            if !isAdvancing, output.capacity > 0, streaming == nil { output = [] }
            if state.phase == .closing {
                if state.hasPeerEnded { return end() }
                linger()
            }
        }
        if state.phase == .lingering { discardInput() }
        if !isClosed { loop.watch(self) }
    }

    /// RFC 9112 §9.6: our side ends first, and the peer is read until it ends or its time is up. To close at once would
    /// reset a peer that is still sending, and it would never read why.
    private func linger() {
        if let tls, !tls.sayEnd() { return state.outputBlocked(at: loop.now) }
        socket.shutdownOutput()
        state.lingers(at: loop.now)
        kept = []
    }
}
