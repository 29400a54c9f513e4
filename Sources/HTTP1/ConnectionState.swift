/// What a connection is doing, whether it goes on, and until when it may take: decided from what happened and from the
/// instants passed in, without a clock and without a socket.
package struct ConnectionState: Sendable {
    package enum Phase: Sendable, Equatable {
        /// The peer and we are agreeing on keys: nothing of HTTP has come or can be sent.
        case handshaking
        /// Nothing of a request is there.
        case idle
        case readingHead
        case readingContent
        /// A request is with its handler, or its answer is being streamed. That may take as long as it takes; only the
        /// pieces of a content that the handler waits for may not.
        case answering
        /// The last answer is given; it only has to be sent.
        case closing
        /// Our side is shut; what the peer still sends is thrown away.
        case lingering
    }

    /// What has to happen when a deadline has passed.
    package enum Expiry: Sendable, Equatable {
        case nothing
        /// Answer 408 and close.
        case refuse
        /// Tell the handler that the content it waits for does not come.
        case failContent
        /// The server drains: look once more whether a request has come, then close.
        case lastLook
        case close
    }

    package private(set) var phase: Phase
    /// Whether the peer has ended its side: it gets its answers, and nothing new is read.
    package private(set) var hasPeerEnded = false

    private let timeouts: Nanoseconds
    private var isDraining = false
    private var hadLastLook = false
    private var persists = true
    private var phaseEnd: Instant?
    private var writeEnd: Instant?
    /// How long content in pieces may still be waited for: waiting uses it up, octets give it back.
    private var patience: Int64

    /// `Timeouts` as numbers: a `Duration` is 128 bits wide, and this is computed with for every request.
    private struct Nanoseconds {
        let head, content, contentOctet, idle, write, linger, drainGrace: Int64
    }

    /// - Parameter shakesHands: TLS is spoken. The handshake may take as long as a head.
    package init(timeouts: Timeouts, shakesHands: Bool = false, at now: Instant) {
        self.timeouts = Nanoseconds(
            head: timeouts.head.nanoseconds, content: timeouts.content.nanoseconds,
            contentOctet: 1_000_000_000 / Int64(timeouts.contentRate), idle: timeouts.idle.nanoseconds,
            write: timeouts.write.nanoseconds, linger: timeouts.linger.nanoseconds,
            drainGrace: timeouts.drainGrace.nanoseconds)
        patience = self.timeouts.content
        phase = shakesHands ? .handshaking : .idle
        phaseEnd = now + (shakesHands ? self.timeouts.head : self.timeouts.idle)
    }

    /// When to call `expire`; nil while there is nothing to wait for but the handler.
    package var deadline: Instant? {
        guard let phaseEnd, let writeEnd else { return phaseEnd ?? writeEnd }
        return min(phaseEnd, writeEnd)
    }

    /// Whether the next octets may be parsed. One request is answered after the other.
    package var takesOctets: Bool {
        switch phase {
        case .idle, .readingHead, .readingContent: true
        case .handshaking, .answering, .closing, .lingering: false
        }
    }
}

// MARK: Reading

extension ConnectionState {
    package mutating func handshakeCompleted(at now: Instant) {
        phase = .idle
        phaseEnd = now + (isDraining ? timeouts.drainGrace : timeouts.idle)
    }

    package mutating func requestBegan(at now: Instant) {
        guard phase == .idle else { return }
        phase = .readingHead
        phaseEnd = now + timeouts.head
    }

    package mutating func headCompleted(at now: Instant) {
        phase = .readingContent
        phaseEnd = now + timeouts.content
        patience = timeouts.content
    }

    package mutating func requestCompleted() {
        phase = .answering
        phaseEnd = nil
    }

    /// The handler waits for the next piece of the content.
    package mutating func contentAwaited(at now: Instant) {
        if phaseEnd == nil { phaseEnd = now + patience }
    }

    /// The handler has a piece, and waits for none.
    package mutating func contentCame(_ octets: Int, at now: Instant) {
        guard phase == .answering, let end = phaseEnd else { return }
        let left = max(0, end.nanoseconds - now.nanoseconds)
        patience = min(timeouts.content, left + Int64(octets) * timeouts.contentOctet)
        phaseEnd = nil
    }

    package mutating func peerEnded() {
        hasPeerEnded = true
    }
}

// MARK: Answering

extension ConnectionState {
    /// Decides, before an answer is put into words, whether the connection goes on after it (RFC 9112 §9.3).
    package mutating func decidePersistence(asked: Bool) -> Bool {
        persists = asked && !isDraining
        return persists
    }

    package mutating func answerCompleted(at now: Instant) {
        phase = persists ? .idle : .closing
        // A stream that began before the drain has not said `Connection: close`: its client may send another request.
        phaseEnd = persists ? now + (isDraining ? timeouts.drainGrace : timeouts.idle) : nil
    }

    /// No other request is taken: this one was refused, or the peer has ended its side.
    package mutating func lastAnswerGiven() {
        persists = false
        phase = .closing
        phaseEnd = nil
    }

    /// The peer's buffer is full. The time runs until everything is sent.
    package mutating func outputBlocked(at now: Instant) {
        if writeEnd == nil { writeEnd = now + timeouts.write }
    }

    package mutating func outputDrained() {
        writeEnd = nil
    }

    package mutating func lingers(at now: Instant) {
        phase = .lingering
        phaseEnd = now + timeouts.linger
        writeEnd = nil
    }
}

// MARK: Ending

extension ConnectionState {
    /// The server goes down. Idle connections stay for a grace: a request may be on its way to us already.
    package mutating func drain(at now: Instant) {
        isDraining = true
        guard phase == .idle || phase == .handshaking, let end = phaseEnd else { return }
        phaseEnd = min(end, now + timeouts.drainGrace)
    }

    package mutating func expire(at now: Instant) -> Expiry {
        if let writeEnd, writeEnd <= now { return .close }
        guard let end = phaseEnd, end <= now else { return .nothing }
        switch phase {
        case .readingHead, .readingContent: return .refuse
        case .idle where isDraining && !hadLastLook:
            hadLastLook = true
            return .lastLook
        case .answering: return .failContent
        case .handshaking, .idle, .lingering, .closing: return .close
        }
    }
}
