internal import Dispatch
package import HTTP1
internal import Locking
internal import Synchronization

/// An HTTP/1.1 server: event loops, what they listen to, and how they end.
package final class Server: Sendable {
    private struct State {
        var loops: [EventLoop] = []
        var tls: TLSContext?
        var running = 0
        var cut = 0
        var waiters: [CheckedContinuation<Int, Never>] = []
    }

    private let configuration: ServerConfiguration
    private let handler: any RequestHandler
    private let state = Mutex(State())
    package let counters: Counters

    package init(
        configuration: ServerConfiguration, handler: any RequestHandler, counters: Counters = Counters()
    ) {
        self.configuration = configuration
        self.handler = handler
        self.counters = counters
    }

    /// Opens all addresses, then starts the loops. To be called once.
    ///
    /// - Returns: where it listens in fact, in the order of the configuration: port 0 is replaced by the one it got.
    package func start() throws(ServerError) -> [ListenAddress] {
        let tls = try loadTLS()
        let count = max(1, configuration.eventLoops)
        var bound: [ListenAddress] = []
        var shares = [[Listener]](repeating: [], count: count)
        for address in configuration.addresses {
            let listeners = try Listener.open(address, count: count, sendBuffer: configuration.sendBuffer)
            bound.append(listeners[0].address)
            for index in shares.indices { shares[index].append(listeners[index % listeners.count]) }
        }
        var loops: [EventLoop] = []
        for (index, listeners) in shares.enumerated() {
            loops.append(
                try EventLoop(
                    index, configuration: configuration, handler: handler, counters: counters, listeners: listeners,
                    tls: tls))
        }
        let started = loops
        state.withLock { state in
            state.loops = started
            state.tls = tls
            state.running = started.count
        }
        for loop in loops {
            loop.start { [self] cut in loopEnded(cut: cut) }
        }
        return bound
    }

    private func loadTLS() throws(ServerError) -> TLSContext? {
        guard let files = configuration.tls else { return nil }
        do throws(TLSError) { return try TLSContext(files) } catch { throw .tls(error) }
    }

    /// Reads the certificate and its key again, and shows them to those who come from now on; who is in stays as they are.
    ///
    /// - Throws: why the new ones cannot be used; the old ones stay in use then.
    package func reloadTLS() throws(TLSError) {
        guard let files = configuration.tls else { throw .notInUse }
        let context = try TLSContext(files)
        state.withLock { $0.tls = context }
        for loop in loops { loop.send(.use(context)) }
    }

    /// How long it is until the certificate is valid, negative where it is; nil without TLS.
    package var certificateTimeToGo: Duration? { state.withLock { $0.tls }?.timeToGo }

    /// How long the certificate is valid from now on, negative where it has expired; nil without TLS.
    package var certificateTimeLeft: Duration? { state.withLock { $0.tls }?.timeLeft }

    /// Returns once every event loop has come round: a loop that is stuck in a request keeps it waiting.
    package func takeTurn() async {
        for loop in loops { await Task(executorPreference: loop) {}.value }
    }

    /// Stops accepting and lets everybody finish: idle connections are served for a grace, answers say
    /// `Connection: close`, streams are cancelled and may write their last words. Returns at once; see `drain(within:)`.
    package func beginDrain() {
        for loop in loops { loop.send(.drain) }
    }

    /// `beginDrain`, then waits for the last connection to end; what is left after `timeout` is cut off.
    ///
    /// - Returns: how many connections were cut while somebody waited for an answer.
    package func drain(within timeout: Duration) async -> Int {
        beginDrain()
        let deadline = DispatchTime.now() + .nanoseconds(Int(timeout.nanoseconds))
        DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self] in self?.stop() }
        return await ended()
    }

    /// Cuts every connection, now.
    package func stop() {
        for loop in loops { loop.send(.cut) }
    }

    /// Waits until all loops have ended.
    ///
    /// - Returns: how many connections were cut while somebody waited for an answer.
    package func ended() async -> Int {
        await withCheckedContinuation { waiter in
            let cut = state.withLock { state -> Int? in
                if state.running == 0 { return state.cut }
                state.waiters.append(waiter)
                return nil
            }
            if let cut { waiter.resume(returning: cut) }
        }
    }

    private var loops: [EventLoop] { state.withLock { $0.loops } }

    private func loopEnded(cut: Int) {
        let (waiters, total) = state.withLock { state -> ([CheckedContinuation<Int, Never>], Int) in
            state.running -= 1
            state.cut += cut
            guard state.running == 0 else { return ([], 0) }
            defer { state.waiters = [] }
            state.loops = []
            return (state.waiters, state.cut)
        }
        for waiter in waiters { waiter.resume(returning: total) }
    }
}
