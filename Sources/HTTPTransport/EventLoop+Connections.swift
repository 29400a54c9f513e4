internal import HTTP1

// The connections of a loop, and when to look at which of them again.

extension EventLoop {
    func add(_ connection: Connection) -> Bool {
        guard poller.addConnection(connection.socket.descriptor, token: connection.token) else { return false }
        connections.add(connection)
        watch(connection)
        return true
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
    func watchListener(_ index: Int, at instant: Instant) {
        deadlines.add(Self.listenerToken - UInt64(index), at: instant)
    }

    func checkDeadlines() {
        while let due = deadlines.popDue(at: now) {
            if let connection = connections[due.token] {
                // Another entry has taken the place of this one.
                guard connection.watchedUntil == due.instant else { continue }
                connection.watchedUntil = nil
                connection.expire()
            } else if due.token > Self.listenerToken - UInt64(listeners.count), due.token <= Self.listenerToken {
                reopen(Int(Self.listenerToken - due.token))
            }
        }
    }
}
