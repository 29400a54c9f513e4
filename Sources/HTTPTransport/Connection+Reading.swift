internal import HTTP1

extension Connection {
    /// Reads what is there, as far as the buffer has room.
    func receive() {
        let (transfer, isFull) = loop.input.fill { room in
            guard let tls else { return socket.receive(into: room) }
            return tls.receive(into: room, readsToEnd: hasEndInSight)
        }
        if let tls, tls.hasEndInSight { hasEndInSight = true }
        switch transfer {
        case .octets:
            // A read that leaves room has taken all there was; only the end may stand behind it.
            if !isFull, !hasEndInSight { isReadable = false }
        case .wouldBlock: isReadable = false
        case .end:
            isReadable = false
            state.peerEnded()
        case .failed: close()
        }
    }

    /// Goes on with the TLS handshake. What the peer sent behind it may have been read together with it.
    func shakeHands() {
        guard let tls, loop.permitsHandshake(of: self) else { return }
        switch tls.shakeHands(readsToEnd: hasEndInSight) {
        case .done:
            state.handshakeCompleted(at: loop.now)
            isReadable = true
        case .wouldBlock: break
        case .failed: close()
        }
    }

    /// Parses and answers, one request after the other.
    ///
    /// - Returns: whether it stopped for want of octets.
    func takeRequests() -> Bool {
        while state.takesOctets, hasRoom, answersLeft > 0 {
            do throws(ProtocolError) {
                switch try parse() {
                case .needsMore: return waitForMore()
                case .head: try prepareForContent()
                case .complete: answer()
                }
            } catch {
                refuse(error)
            }
        }
        return false
    }

    func parse() throws(ProtocolError) -> RequestParser.Event {
        var consumed = 0
        let event = try loop.input.withUnread { (octets) throws(ProtocolError) in
            try parser.parse(octets, into: &request, consumed: &consumed)
        }
        loop.input.consume(consumed)
        return event
    }

    private func waitForMore() -> Bool {
        if parser.isInside { state.requestBegan(at: loop.now) }
        guard state.hasPeerEnded else { return true }
        if parser.isInside {
            refuse(.incomplete)
        } else {
            state.lastAnswerGiven()
        }
        return false
    }

    private func prepareForContent() throws(ProtocolError) {
        state.headCompleted(at: loop.now)
        request.peer = peer
        switch loop.handler.delivery(for: request) {
        case .whole(let limit):
            try parser.permitContent(upTo: limit)
            // RFC 9110 §10.1.1: no need to say so to a client that has begun to send.
            if parser.control.expectsContinue, loop.input.isEmpty { ResponseEncoder.appendContinue(to: &output) }
        case .pieces(let handler):
            parser.permitAnyContent()
            answer(by: handler)
        }
    }

    /// While lingering: throws away what still comes, until the end.
    func discardInput() {
        var turns = 16
        while isReadable, !isClosed {
            guard turns > 0 else { return loop.revisit(later: self) }
            turns -= 1
            discard()
            if state.hasPeerEnded { close() }
        }
    }

    /// From the socket itself: what is thrown away need not be deciphered.
    private func discard() {
        let (transfer, isFull) = loop.input.fill { socket.receive(into: $0) }
        loop.input.consume(loop.input.unread.count)
        switch transfer {
        case .octets: if !isFull, !hasEndInSight { isReadable = false }
        case .wouldBlock: isReadable = false
        case .end: state.peerEnded()
        case .failed: close()
        }
    }
}
