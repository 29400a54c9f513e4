internal import HTTP1

extension Connection {
    private var waiting: Int { output.count - sent }

    /// Whether more answers may be put behind those that wait to be sent.
    var hasRoom: Bool { waiting < loop.configuration.outputBudget }

    /// Sends as much as the kernel takes.
    func flush() {
        guard !isClosed, !output.isEmpty else { return }
        while sent < output.count {
            switch output.withUnsafeBytes({ send(UnsafeRawBufferPointer(rebasing: $0[sent...])) }) {
            case .octets(let count): sent += count
            case .wouldBlock:
                state.outputBlocked(at: loop.now)
                forgetSent()
                return
            case .end, .failed: return close()
            }
        }
        output.removeAll(keepingCapacity: output.capacity <= 4 * loop.configuration.outputBudget)
        sent = 0
        tellSent()
        state.outputDrained()
        resumeStream()
    }

    /// The longest content that is put behind its head. To copy a longer one, a page, takes longer than to name it to the
    /// kernel where it lies; TLS makes other octets of it anyway.
    var mostCopied: Int { tls == nil ? 16 * 1024 : .max }

    /// Sends all that waits and a content behind it, in one call. What the kernel does not take is copied, and waits.
    func send(_ content: [UInt8]) {
        var left = content[...]
        let transfer = output.withUnsafeBytes { output in
            content.withUnsafeBytes { socket.send(UnsafeRawBufferPointer(rebasing: output[sent...]), $0) }
        }
        if case .octets(let count) = transfer {
            left = left.dropFirst(max(0, count - waiting))
            sent += min(count, waiting)
        }
        output.append(contentsOf: left)
    }

    private func send(_ octets: UnsafeRawBufferPointer) -> Socket.Transfer {
        guard let tls else { return socket.send(octets) }
        return tls.send(octets)
    }

    /// A stream never empties its output for long: what is sent must not pile up.
    private func forgetSent() {
        guard sent > loop.configuration.outputBudget else { return }
        output.removeSubrange(..<sent)
        sent = 0
    }

    /// One piece of the stream. Waits while the budget is spent.
    func writePiece(_ piece: [UInt8]) async throws {
        guard !isClosed, let framing = streaming else { throw StreamError.peerGone }
        ResponseEncoder.append(piece, framing: framing, to: &output)
        if !isAdvancing {
            flush()
            settle()
        }
        guard !hasRoom else { return }
        try await withCheckedThrowingContinuation { streamWaiters.append($0) }
    }

    func resumeStream(throwing error: (any Error)? = nil) {
        guard !streamWaiters.isEmpty else { return }
        let waiters = streamWaiters
        streamWaiters = []
        for waiter in waiters {
            if let error { waiter.resume(throwing: error) } else { waiter.resume() }
        }
    }
}

/// What a stream's closure writes to.
struct StreamWriter: ContentWriter {
    let connection: Connection

    func write(_ bytes: [UInt8]) async throws {
        if connection.loop.isCurrent {
            try await connection.writePiece(bytes)
        } else {
            // The closure has gone to another executor; the connection has not.
            try await withTaskExecutorPreference(connection.loop) { try await connection.writePiece(bytes) }
        }
    }
}
