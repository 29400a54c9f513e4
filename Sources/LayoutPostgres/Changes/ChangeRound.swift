import LayoutApplication
import LayoutModel
import LayoutRecords

/// One round of the queue: reads the users' states in one round trip, lets each change be decided, and writes what was
/// decided in a second. Who came too late is decided again.
final class ChangeRound: Errand, @unchecked Sendable {
    // @unchecked: touched by the lane that carries it out alone.
    let deadline: ContinuousClock.Instant
    private let queue: ChangeQueue
    /// Everything that was taken, answered or not.
    private var taken: [any PendingWork]?
    private var changes: [any PendingChange] = []
    private var erasures: [Erasure] = []
    /// One after another, because the storage refused one of them for its own sake and did not say which.
    private var goesSingly = false

    init(for queue: ChangeQueue, by deadline: ContinuousClock.Instant) {
        self.queue = queue
        self.deadline = deadline
    }

    func run(on connection: Connection) throws {
        take()
        while !changes.isEmpty { try makeChanges(on: connection) }
        while let erasure = erasures.last { try erase(erasure, on: connection) }
        queue.finish(taken ?? [])
    }

    func fail(_ error: any Error) {
        take()
        if case StoreError.unavailable = error { queue.pool.counter.count { $0.isFailing = true } }
        for work in changes as [any PendingWork] + erasures { work.fail(error) }
        queue.finish(taken ?? [])
    }

    /// As late as possible: whatever comes until then comes along.
    private func take() {
        guard taken == nil else { return }
        let round = queue.takeRound()
        taken = round
        changes = round.compactMap { $0 as? any PendingChange }
        erasures = round.compactMap { $0 as? Erasure }
        // All in one order, whatever the server: transactions that lock the same rows meet at the first and not crosswise.
        changes.sort { $0.user.text.utf8.lexicographicallyPrecedes($1.user.text.utf8) }
    }

    private func makeChanges(on connection: Connection) throws {
        dismissOverdue()
        let group = goesSingly ? Array(changes.prefix(1)) : changes
        guard !group.isEmpty else { return }
        let read = try UserStates(for: group.map { ($0.user, $0.request) }, on: connection, by: deadline)
        try queue.catalogs.notice(read.catalogRevision, on: connection, by: deadline)
        var decided: [(work: any PendingChange, write: ChangeWrite, tells: ChangeFeed.Change?)] = []
        for (work, state) in zip(group, read.states) {
            if let next = try decide(work, on: state, connection) { decided.append((work, next.0, next.1)) }
        }
        guard !decided.isEmpty else { return }
        let began = ContinuousClock.now
        do {
            let done = try ChangeStatement.run(
                decided.map(\.write), historyKept: queue.historyKept, on: connection, by: deadline)
            let won = decided.filter {
                ($0.write.change == nil || done.changed.contains($0.work.user))
                    && ($0.write.record == nil || done.recorded.contains($0.work.user))
            }
            queue.teller.tell(won.compactMap(\.tells))
            queue.pool.counter.count { statistics in
                statistics.commits += 1
                statistics.isFailing = false
            }
            queue.onRound(RoundReport(changes: won.count, duration: .now - began, failure: nil))
            for (work, _, _) in won { settle(work) { work.succeed() } }
        } catch let setback as Setback where setback.meaning == .unknown {
            queue.pool.counter.count { $0.unknown += decided.count }
            report(setback, of: decided.count, since: began)
            switch queue.faults.unknownOutcome {
            case .isTold: for (work, _, _) in decided { settle(work) { work.fail(StoreError(setback)) } }
            case .isTakenForDone: for (work, _, _) in decided { settle(work) { work.succeed() } }
            case .isTriedAgain: throw Setback(meaning: .elsewhere, error: setback.error)
            }
            linger(on: connection)
        } catch let setback as Setback where setback.meaning == .values {
            try separate(decided.map(\.work), setback)
        } catch let setback as Setback {
            if setback.meaning != .conflict { report(setback, of: decided.count, since: began) }
            throw setback
        }
    }

    private func report(_ setback: Setback, of changes: Int, since began: ContinuousClock.Instant) {
        queue.pool.counter.count { $0.failures += 1 }
        queue.onRound(RoundReport(changes: changes, duration: .now - began, failure: "\(setback)"))
    }

    /// - Returns: what is to be written; nil where the work was answered without.
    /// - Throws: `Setback`.
    private func decide(
        _ work: any PendingChange, on state: Result<UserState, any Error>, _ connection: Connection
    ) throws -> (ChangeWrite, ChangeFeed.Change?)? {
        do {
            let state = try state.get()
            if let answer = state.answer {
                settle(work) { work.replay(answer) }
                return nil
            }
            let view = TransactionView(user: work.user, state: state, connection: connection, deadline: deadline)
            let (change, answer) = try work.decide(in: view)
            let recorded = work.request.flatMap { request in answer.map { (request, $0) } }
            guard change != nil || recorded != nil else {
                settle(work) { work.succeed() }
                return nil
            }
            let rows = try change.map { change in
                let (time, items) = (try change.timeMade(after: view), Items.text(of: change.layout.favorites))
                return (
                    layout: LayoutRow(change.layout, items: items, updatedAt: time, of: work.user),
                    revision: RevisionRow(change, items: items, createdAt: time, of: work.user)
                )
            }
            let record = recorded.map { request, answer in
                (row: RequestRow(answer, to: request, of: work.user), notBefore: request.notBefore)
            }
            return (
                ChangeWrite(user: work.user, before: state.layout.version, change: rows, record: record),
                change.map { ChangeFeed.Change(user: work.user, layout: $0.layout, origin: $0.origin) }
            )
        } catch let setback as Setback {
            throw setback
        } catch {
            if case StoreError.damaged = error { queue.pool.counter.count { $0.damaged += 1 } }
            settle(work) { work.fail(error) }
            return nil
        }
    }

    /// The statement failed for the sake of one of them: each gets one of its own. One that is alone was answered elsewhere
    /// in the meantime, which the next try reads, or cannot be stored.
    private func separate(_ decided: [any PendingChange], _ setback: Setback) throws {
        if decided.count > 1 {
            goesSingly = true
        } else if setback.error.state == .divisionByZero {
            throw Setback(meaning: .conflict, error: setback.error)
        } else {
            report(setback, of: decided.count, since: .now)
            for work in decided { settle(work) { work.fail(StoreError(setback)) } }
        }
    }

    private func erase(_ erasure: Erasure, on connection: Connection) throws {
        do {
            let read = try LayoutTable.layouts(of: [erasure.user], on: connection, by: deadline)
            try queue.catalogs.notice(read.catalog, on: connection, by: deadline)
            // What is damaged has to go as well, at whatever version it is.
            let seen = try? read.layouts.first?.get()
            do { try erasure.check(seen) } catch {
                erasures.removeAll { $0 === erasure }
                return erasure.fail(error)
            }
            switch try EraseStatement.run(of: erasure.user, at: seen?.version, on: connection, by: deadline) {
            case .nothingThere: erasure.succeed(false)
            case .erased(let hadLayout):
                if hadLayout {
                    queue.teller.tell([ChangeFeed.Change(user: erasure.user, layout: .never, origin: "")])
                }
                erasure.succeed(true)
            case .cameTooLate:
                guard erasure.deadline > .now else {
                    erasure.fail(StoreError.busy)
                    break
                }
                return
            }
        } catch let setback as Setback where setback.meaning == .unknown {
            erasure.fail(StoreError(setback))
            erasures.removeAll { $0 === erasure }
            return linger(on: connection)
        }
        erasures.removeAll { $0 === erasure }
    }

    /// Where the commit is still under way, the round goes on for as long: there are never more such commits than rounds, and
    /// the pool keeps some of its connections for reads.
    private func linger(on connection: Connection) {
        guard connection.owesAnswer, queue.pool.settings.size > 1 else { return }
        for work in changes as [any PendingWork] + erasures { work.fail(StoreError.busy) }
        (changes, erasures) = ([], [])
        connection.awaitOwedAnswer { queue.isClosed }
    }

    private func dismissOverdue() {
        let now = ContinuousClock.now
        for work in changes where work.deadline <= now { settle(work) { work.fail(StoreError.busy) } }
    }

    private func settle(_ work: any PendingChange, _ answer: () -> Void) {
        changes.removeAll { $0 === work }
        answer()
    }
}

/// What `decide` sees.
private struct TransactionView: LayoutTransaction {
    let user: UserID
    let state: UserState
    let connection: Connection
    let deadline: ContinuousClock.Instant

    var current: StoredLayout { state.layout }
    var versionFloor: Version { state.versionFloor }

    /// What a version was never changes, so it need not be read with the rest; where the user is erased meanwhile, the
    /// compare-and-set fails.
    func list(at version: Version) throws -> PastList {
        // What a user who was never stored had is known without a row, and so is the newest.
        if version == 0 { return .kept(nil) }
        if version == current.version { return .kept(current.favorites) }
        return try RevisionTable.list(of: user, at: version, on: connection, by: deadline)
    }
}
