internal import Synchronization

/// What the server counts. Any thread may read it; the event loops add to it.
package final class Counters: Sendable {
    /// Connections open now.
    package var open: Int { openCount.load(ordering: .relaxed) }
    /// Connections ever taken.
    package var accepted: Int { acceptedCount.load(ordering: .relaxed) }
    /// Connections answered 503 at the door: too many, or no descriptor left.
    package var refused: Int { refusedCount.load(ordering: .relaxed) }
    /// Requests ever handed to the handler; up to date once a round of an event loop.
    package var requests: Int { requestCount.load(ordering: .relaxed) }

    /// How many event loops have no descriptor in reserve just now.
    var missingReserves: Int { missingReserveCount.load(ordering: .acquiring) }

    private let openCount = Atomic<Int>(0)
    private let acceptedCount = Atomic<Int>(0)
    private let refusedCount = Atomic<Int>(0)
    private let requestCount = Atomic<Int>(0)
    private let missingReserveCount = Atomic<Int>(0)

    package init() {}

    /// - Returns: how many are open with it. Two event loops that let somebody in at once get two numbers.
    func connectionOpened() -> Int {
        openCount.wrappingAdd(1, ordering: .relaxed).newValue
    }

    func connectionAccepted() {
        acceptedCount.wrappingAdd(1, ordering: .relaxed)
    }

    func connectionClosed() {
        openCount.wrappingSubtract(1, ordering: .relaxed)
    }

    func connectionRefused() {
        refusedCount.wrappingAdd(1, ordering: .relaxed)
    }

    func reserveGivenUp() {
        missingReserveCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    func reserveTaken() {
        missingReserveCount.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }

    func requestsAnswered(_ count: Int) {
        requestCount.wrappingAdd(count, ordering: .relaxed)
    }
}
