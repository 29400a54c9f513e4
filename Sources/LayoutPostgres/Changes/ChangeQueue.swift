import LayoutApplication
import LayoutModel
import Locking

/// What waits to be changed. Whatever waits when a round begins goes into it, one piece of work a user: a change that comes
/// alone is made at once. Beside others a round begins when as many wait as are under way, so that few large rounds
/// follow each other and not many small ones.
///
/// A user's work is done one after another here, so that the servers' own clients never get in each other's way. Between
/// servers it is the compare-and-set that decides.
final class ChangeQueue: Sendable {
    let pool: ConnectionPool
    let catalogs: CatalogNews
    let memory: RowMemory
    let teller: Teller
    let historyKept: Int
    let faults: PostgresLayoutStore.Configuration.Faults
    let onRound: @Sendable (RoundReport) -> Void
    private let limits: Limits
    private let state = Mutex(State())

    struct Limits {
        /// Rounds at a time.
        var rounds: Int
        /// Pieces of work in a round.
        var width = 256
        var waiting: Int
    }

    fileprivate struct State {
        /// The work of each user, in the order in which it came. A user whose work is under way has an entry, too.
        var waiting: [UserID: [any PendingWork]] = [:]
        /// The users who have work waiting and none under way, likewise.
        var ready: [UserID] = []
        var count = 0
        var rounds = 0
        /// Pieces of work in the rounds.
        var underWay = 0
        var isClosed = false
        /// Whoever waits for the last round.
        var finishing: CheckedContinuation<Void, Never>?
    }

    init(
        pool: ConnectionPool, catalogs: CatalogNews, memory: RowMemory, teller: Teller, historyKept: Int,
        faults: PostgresLayoutStore.Configuration.Faults, onRound: @escaping @Sendable (RoundReport) -> Void,
        _ limits: Limits
    ) {
        self.onRound = onRound
        self.pool = pool
        self.catalogs = catalogs
        self.memory = memory
        self.teller = teller
        self.historyKept = historyKept
        self.faults = faults
        self.limits = limits
    }

    /// How much waits, or is under way.
    var waiting: Int { state.withLock { $0.count } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func add(_ work: any PendingWork) {
        let (refusal, begins) = state.withLock { state -> (StoreError?, Bool) in
            guard !state.isClosed else { return (.closed, false) }
            guard state.count < limits.waiting else { return (.busy, false) }
            state.count += 1
            if state.waiting[work.user] == nil { state.ready.append(work.user) }
            state.waiting[work.user, default: []].append(work)
            return (nil, state.beginsRound(limits))
        }
        if let refusal { work.fail(refusal) }
        if begins { pool.submit(ChangeRound(for: self, by: work.deadline)) }
    }

    /// Finishes what was taken; from now on nothing is. Once.
    func finish() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                state.isClosed = true
                if state.rounds > 0 { state.finishing = continuation }
                return state.rounds == 0
            }
            if isOver { continuation.resume() }
        }
    }

    /// To be called now and then. Tells those who have waited too long for a round: it may be long in coming, while commits
    /// wait for a standby. The others get one beside rounds that are larger, which may hang.
    func lookAfterWaiting() {
        let (overdue, next) = state.withLock { state in
            (state.takeOverdue(at: .now), state.beginsRound(limits, besideLarger: true) ? state.nextDeadline : nil)
        }
        for work in overdue { work.fail(StoreError.busy) }
        if let next { pool.submit(ChangeRound(for: self, by: next)) }
    }

    /// What goes into a round: the first of each user whose turn it is.
    func takeRound() -> [any PendingWork] {
        state.withLock { state in
            let users = state.ready.prefix(limits.width)
            state.ready.removeFirst(users.count)
            state.underWay += users.count
            return users.map { state.waiting[$0]![0] }
        }
    }

    /// The round is over, and everybody in it was answered.
    ///
    /// - Returns: the next one, where one is to begin.
    func finish(_ round: [any PendingWork]) -> ChangeRound? {
        let (next, finishing) = state.withLock {
            state -> (ContinuousClock.Instant?, CheckedContinuation<Void, Never>?) in
            for work in round {
                state.count -= 1
                state.waiting[work.user]!.removeFirst()
                if state.waiting[work.user]!.isEmpty {
                    state.waiting[work.user] = nil
                } else {
                    state.ready.append(work.user)
                }
            }
            state.rounds -= 1
            state.underWay -= round.count
            if state.beginsRound(limits) { return (state.nextDeadline, nil) }
            guard state.rounds == 0 else { return (nil, nil) }
            defer { state.finishing = nil }
            return (nil, state.finishing)
        }
        finishing?.resume()
        return next.map { ChangeRound(for: self, by: $0) }
    }
}

extension ChangeQueue.State {
    fileprivate mutating func takeOverdue(at now: ContinuousClock.Instant) -> [any PendingWork] {
        let idle = Set(ready)
        var overdue: [any PendingWork] = []
        for (user, work) in waiting {
            // The first of a user who has work under way is that.
            let begun = work.prefix(idle.contains(user) ? 0 : 1)
            let late = work.dropFirst(begun.count).filter { $0.deadline <= now }
            if late.isEmpty { continue }
            overdue += late
            let left = begun + work.dropFirst(begun.count).filter { $0.deadline > now }
            waiting[user] = left.isEmpty ? nil : Array(left)
        }
        if !overdue.isEmpty { ready.removeAll { waiting[$0] == nil } }
        count -= overdue.count
        return overdue
    }

    /// When whoever is to be served next gives up.
    fileprivate var nextDeadline: ContinuousClock.Instant? { ready.first.flatMap { waiting[$0]?.first?.deadline } }

    /// Whether another round is to begin; it is counted then.
    fileprivate mutating func beginsRound(_ limits: ChangeQueue.Limits, besideLarger: Bool = false) -> Bool {
        guard !ready.isEmpty, rounds < limits.rounds, besideLarger || ready.count >= underWay else { return false }
        rounds += 1
        return true
    }
}
