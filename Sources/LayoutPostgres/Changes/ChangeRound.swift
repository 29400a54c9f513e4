import LayoutApplication
import LayoutModel
import LayoutRecords

/// One round of the queue: lets each change be decided on what is remembered of its user, and writes what was decided in one
/// round trip. What is not remembered is read in a round trip before it; so is what turns out to be otherwise than it was
/// remembered, and decided again.
final class ChangeRound: Errand, @unchecked Sendable {
    // @unchecked: touched by the lane that carries it out alone.
    let deadline: ContinuousClock.Instant
    private let queue: ChangeQueue
    /// Everything that was taken, answered or not.
    private var taken: [any PendingWork]?
    private var changes: [PendingChange] = []
    private var erasures: [Erasure] = []
    /// One after another, because the storage refused one of them for its own sake and did not say which.
    private var goesSingly = false

    init(for queue: ChangeQueue, by deadline: ContinuousClock.Instant) {
        self.queue = queue
        self.deadline = deadline
    }

    func run(on connection: Connection) throws -> (any Errand)? {
        take()
        while !changes.isEmpty { try makeChanges(on: connection) }
        while let erasure = erasures.last { try erase(erasure, on: connection) }
        return queue.finish(taken ?? [])
    }

    func fail(_ error: any Error) -> (any Errand)? {
        take()
        if case StoreError.unavailable = error { queue.pool.counter.count { $0.isFailing = true } }
        for work in changes as [any PendingWork] + erasures { work.fail(error) }
        return queue.finish(taken ?? [])
    }

    /// As late as possible: whatever comes until then comes along.
    private func take() {
        guard taken == nil else { return }
        let round = queue.takeRound()
        taken = round
        changes = round.compactMap { $0 as? PendingChange }
        erasures = round.compactMap { $0 as? Erasure }
        // All in one order, whatever the server: transactions that lock the same rows meet at the first and not crosswise.
        changes.sort { $0.user.text.utf8.lexicographicallyPrecedes($1.user.text.utf8) }
    }

    private func makeChanges(on connection: Connection) throws {
        dismissOverdue()
        let group = goesSingly ? Array(changes.prefix(1)) : changes
        guard !group.isEmpty else { return }
        let (states, catalog) = try states(of: group, on: connection)
        var decided: [Decided] = []
        for (work, state) in zip(group, states) {
            if let next = try decide(work, on: state, connection) {
                decided.append(next)
            } else if let state = try? state.get(), !state.isRemembered, let row = state.found.row {
                queue.memory.remember([(work.user, row)])
            }
        }
        if !decided.isEmpty { try write(decided, under: catalog, on: connection) }
    }

    /// What each of them is to be decided on, and the revision of the catalog that the decisions may rest on. Who is not
    /// remembered is read, all of them in one round trip.
    ///
    /// - Throws: `Setback`.
    private func states(
        of group: [PendingChange], on connection: Connection
    ) throws -> (states: [Result<UserState, any Error>], catalog: Int) {
        // Asked for first: by the time of a decision a newer one may be in force, which the statement notices, never an older.
        let catalog = queue.catalogs.known
        let rows = queue.memory.take(group.map(\.user))
        var states = zip(group, rows).map { work, row -> Result<UserState, any Error>? in
            row.flatMap { try? .success(UserState(remembering: $0, of: work.user)) }
        }
        let unknown = states.indices.filter { states[$0] == nil }
        guard !unknown.isEmpty else { return (states.compactMap { $0 }, catalog) }
        let read = try UserStates(
            for: unknown.map { (group[$0].user, group[$0].request) }, on: connection, by: deadline)
        try queue.catalogs.notice(read.catalogRevision, on: connection, by: deadline)
        for (place, state) in zip(unknown, read.states) { states[place] = state }
        return (states.compactMap { $0 }, read.catalogRevision)
    }

    /// One whose change is decided, and has yet to be written.
    private struct Decided {
        let work: PendingChange
        let write: ChangeWrite
        let tells: ChangeFeed.Change?
    }

    /// - Throws: `Setback`.
    private func write(_ decided: [Decided], under catalog: Int, on connection: Connection) throws {
        let began = ContinuousClock.now
        do {
            let done = try ChangeStatement.run(
                decided.map(\.write), under: catalog, historyKept: queue.historyKept, on: connection, by: deadline)
            let won = decided.filter {
                ($0.write.change == nil || done.changed.contains($0.work.user))
                    && ($0.write.record == nil || done.recorded.contains($0.work.user))
                    || queue.faults.takesLostForWon
            }
            queue.memory.remember(won.compactMap { one in one.write.after.map { (one.work.user, $0) } })
            queue.teller.tell(won.compactMap(\.tells))
            queue.pool.counter.count { statistics in
                statistics.commits += 1
                statistics.isFailing = false
            }
            queue.onRound(RoundReport(changes: won.count, duration: .now - began, failure: nil))
            for one in won { settle(one.work) { one.work.succeed() } }
        } catch let setback as Setback where setback.meaning == .unknown {
            queue.pool.counter.count { $0.unknown += decided.count }
            report(setback, of: decided.count, since: began)
            switch queue.faults.unknownOutcome {
            case .isTold: for one in decided { settle(one.work) { one.work.fail(StoreError(setback)) } }
            case .isTakenForDone: for one in decided { settle(one.work) { one.work.succeed() } }
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

    /// What writes nothing asks the database nothing either, and so is never answered on what is only remembered: such work
    /// is left for the next turn, which reads its user's state.
    ///
    /// - Returns: what is to be written; nil where the work was answered without, or left.
    /// - Throws: `Setback`.
    private func decide(
        _ work: PendingChange, on state: Result<UserState, any Error>, _ connection: Connection
    ) throws -> Decided? {
        let isGuess = (try? state.get().isRemembered) ?? false && !queue.faults.believesMemory
        do {
            let state = try state.get()
            if let answer = state.answer {
                settle(work) { work.replay(answer) }
                return nil
            }
            let view = TransactionView(user: work.user, state: state, connection: connection, deadline: deadline)
            let decision = try work.decide(view)
            let recorded = work.request.flatMap { request in decision.answer.map { (request, $0) } }
            if isGuess && decision.change == nil { return nil }
            guard decision.change != nil || recorded != nil else {
                settle(work) { work.succeed() }
                return nil
            }
            let rows = try decision.change.map { change in
                let (time, items) = (try change.timeMade(after: view), Items.text(of: change.layout.favorites))
                return (
                    layout: LayoutRow(change.layout, items: items, updatedAt: time, of: work.user),
                    revision: RevisionRow(change, items: items, createdAt: time, of: work.user)
                )
            }
            let record = recorded.map { request, answer in
                (row: RequestRow(answer, to: request, of: work.user), notBefore: request.notBefore)
            }
            return Decided(
                work: work,
                write: ChangeWrite(user: work.user, before: state.found.row, change: rows, record: record),
                tells: decision.change.map { ChangeFeed.Change(user: work.user, layout: $0.layout, origin: $0.origin) })
        } catch let setback as Setback {
            throw setback
        } catch {
            if isGuess { return nil }
            if case StoreError.damaged = error { queue.pool.counter.count { $0.damaged += 1 } }
            settle(work) { work.fail(error) }
            return nil
        }
    }

    /// The statement failed for the sake of one of them: each gets one of its own. One that is alone was answered elsewhere
    /// in the meantime, which the next try reads, or cannot be stored.
    private func separate(_ decided: [PendingChange], _ setback: Setback) throws {
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
        queue.memory.forget(erasure.user)
        do {
            let read = try LayoutTable.layouts(of: [erasure.user], on: connection, by: deadline)
            try queue.catalogs.notice(read.catalog, on: connection, by: deadline)
            // What is damaged has to go as well, at whatever version it is.
            let seen = (try? read.layouts.first?.get())?.layout
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

    private func settle(_ work: PendingChange, _ answer: () -> Void) {
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

    var current: StoredLayout { state.found.layout }
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
