import HTTP1
import LayoutApplication

/// Watches for requests that take long.
package struct SlowLog: Sendable {
    /// At least as long as this, in nanoseconds.
    private let threshold: Int64
    private let tell: @Sendable (SlowRequest) -> Void

    package init(threshold: Duration, tell: @escaping @Sendable (SlowRequest) -> Void) {
        self.threshold = threshold.nanoseconds
        self.tell = tell
    }

    /// Has it told when the answer is sent, if the request is slow by then.
    ///
    /// - Parameter queued: in nanoseconds.
    func watch(
        _ response: inout Response, of exchange: borrowing Exchange, queued: Int64, _ spent: TimeSpent.Durations?
    ) {
        let total = exchange.nanoseconds + queued - (spent?.patience.nanoseconds ?? 0)
        // A short answer fits into the kernel's buffer: if it is not slow by now, it will not be.
        if total >= threshold || response.content.isLong {
            follow(&response, of: exchange, total, queued: queued, spent)
        }
    }

    /// Apart, so that what is quick is not copied for it.
    @inline(never)
    private func follow(
        _ response: inout Response, of exchange: borrowing Exchange, _ total: Int64, queued: Int64,
        _ spent: TimeSpent.Durations?
    ) {
        let slow = SlowRequest(exchange, total: .nanoseconds(total), queue: .nanoseconds(queued), spent)
        if case .stream = response.content { return tell(slow) }
        response.whenSent = { [threshold, tell] waited in
            var slow = slow
            slow.write = waited
            slow.total += waited
            if slow.total.nanoseconds >= threshold { tell(slow) }
        }
    }
}

extension Response.Content {
    fileprivate var isLong: Bool { count ?? 0 > 64 * 1_024 }
}

/// A request that took long, and what its time went into. What is missing from the total was spent in between.
package struct SlowRequest: Sendable {
    package let exchange: Exchange
    /// From the moment its octets were there until its answer was sent, without what the client wanted to wait.
    package var total: Duration
    /// Until its connection's turn came.
    package let queue: Duration
    /// The decision about a write.
    package let rule: Duration
    /// Waiting for the transaction, and for it to be durable.
    package let commit: Duration
    /// Waiting for the peer to take the answer.
    package var write = Duration.zero

    init(_ exchange: borrowing Exchange, total: Duration, queue: Duration, _ spent: TimeSpent.Durations?) {
        self.exchange = copy exchange
        self.total = total
        self.queue = queue
        rule = spent?.rule ?? .zero
        commit = spent?.commit ?? .zero
    }
}
