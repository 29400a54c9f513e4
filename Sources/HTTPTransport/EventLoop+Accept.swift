internal import Glibc
internal import HTTP1

// The door: who comes in, and what is said to those who don't.

extension EventLoop {
    /// How many connections one turn takes, so that those who are in are not kept waiting.
    private static let acceptsPerTurn = 64
    /// How many refused peers may linger to read their answer; the others are closed at once.
    private static let refusedLingering = 64
    /// How long the door stays shut before the reserve is looked for again, in nanoseconds.
    private static let backOff: Int64 = 100_000_000

    func watchListener(_ index: Int) -> Bool {
        let listener = listeners[index]
        return poller.addSource(
            listener.socket.descriptor, token: Self.listenerToken - UInt64(index), isShared: listener.isShared)
    }

    func accept(from index: Int) {
        for _ in 0..<Self.acceptsPerTurn {
            switch listeners[index].accept() {
            case .connection(let socket, let peer):
                admit(socket, peer: peer, tls: listeners[index].isInternet ? tls : nil)
            case .nothing: return
            case .exhausted:
                shed(index)
                return
            }
        }
    }

    /// The last ones, before the listener closes: to close it with connections waiting would reset them.
    func acceptRest() {
        for listener in listeners {
            poller.remove(listener.socket.descriptor)
            listener.endQueue()
            while case .connection(let socket, let peer) = listener.accept() {
                admit(socket, peer: peer, tls: listener.isInternet ? tls : nil)
            }
        }
        listeners.removeAll()
    }

    private func admit(_ socket: Socket, peer: String, tls: TLSContext?) {
        // Counted first: of two loops that looked first and counted then, both would take the last place.
        let open = counters.connectionOpened()
        if !letIn(socket, peer: peer, tls: tls, open: open) {
            dismiss(socket, isSecure: tls != nil)
            counters.connectionClosed()
        }
    }

    /// - Parameter open: how many connections there are with this one.
    /// - Returns: false for a peer who is turned away at the door.
    private func letIn(_ socket: Socket, peer: String, tls: TLSContext?, open: Int) -> Bool {
        let isFull = open > configuration.maxConnections
        // Whoever comes while a reserve is given up may have got its descriptor, which has to be had back.
        let isGuest = counters.missingReserves > 0
        if isFull || isGuest {
            counters.connectionRefused()
            // A handshake, only to say no, would cost more than the request.
            let mayLinger = !isGuest && open <= configuration.maxConnections + Self.refusedLingering && tls == nil
            guard mayLinger else { return false }
        }
        let session = tls.flatMap { TLSSession($0, socket) }
        if tls != nil, session == nil { return false }
        let connection = Connection(socket, tls: session, peer: peer, loop: self)
        guard add(connection) else { return false }
        if !isFull { counters.connectionAccepted() }
        if isDraining { connection.drain() }
        if isFull { connection.refuse(.overloaded) }
        return true
    }

    /// No descriptor is left. Without this the listener would stay readable and the loop spin: give up the reserve, take
    /// the peer, say that we are full, and take the reserve again.
    private func shed(_ index: Int) {
        if reserve >= 0 {
            giveUpReserve()
            if case .connection(let socket, _) = listeners[index].accept() {
                counters.connectionRefused()
                dismiss(socket, isSecure: tls != nil && listeners[index].isInternet)
            }
            takeReserve()
        }
        if reserve < 0 {
            poller.remove(listeners[index].socket.descriptor)
            reopen(index)
        }
    }

    /// Looks at a listener again as soon as the reserve is back, which something else was quicker to take.
    func reopen(_ index: Int) {
        takeReserve()
        if reserve < 0 {
            watchListener(index, at: now + Self.backOff)
        } else {
            _ = watchListener(index)
        }
    }

    private func giveUpReserve() {
        // Before it is closed: another loop may take the descriptor at once.
        counters.reserveGivenUp()
        close(reserve)
        reserve = -1
    }

    private func takeReserve() {
        guard reserve < 0 else { return }
        reserve = Self.openReserve()
        if reserve >= 0 { counters.reserveTaken() }
    }

    static func openReserve() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }

    /// Answers 503 and closes, without waiting for the peer to have read it.
    private func dismiss(_ socket: Socket, isSecure: Bool) {
        var octets: [UInt8] = []
        if isSecure {
            octets = Self.alert
        } else {
            _ = encoder.append(refusal(.overloaded), for: ResponseEncoder.Context(), to: &octets)
        }
        _ = octets.withUnsafeBytes { socket.send($0) }
        // What it has sent so far is taken: closing over unread octets resets the connection, and the answer is lost.
        _ = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { socket.receive(into: $0) }
        socket.close()
    }

    /// RFC 8446 §6: a fatal `internal_error`, the nearest to "too many" that TLS has.
    private static let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 80]

    func refusal(_ error: ProtocolError) -> Response {
        var response = handler.answer(error)
        if error.status == .serviceUnavailable, !response.fields.contains("Retry-After") {
            response.fields.append(name: "Retry-After", value: "1")
        }
        return response
    }
}

extension ProtocolError {
    fileprivate static let overloaded = Self(.serviceUnavailable, "Too many connections")
}
