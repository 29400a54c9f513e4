package import LayoutModel

/// One write, as it came: who, what, and under which conditions. An object: it goes through many hands on its way to the store.
package final class ChangeRequest: Sendable {
    let client: Client
    let command: LayoutCommand
    let precondition: Precondition
    /// Give the answer that the write would give, and change nothing.
    package let validateOnly: Bool
    /// What the history says of who did it; see `LayoutChange`.
    let origin: String
    let actor: String
    /// What a layout that comes in was where it comes from; see `Provenance`.
    let provenance: Provenance?
    /// nil where the client has not said that it may send the request again.
    let repeatable: Repeatable?

    /// As what the request is known when it comes again, and what it is answered then.
    package struct Repeatable: Sendable {
        let request: IdempotentRequest
        let answer: @Sendable (ChangeResult) -> RecordedAnswer

        package init(
            _ request: IdempotentRequest, answer: @escaping @Sendable (ChangeResult) -> RecordedAnswer
        ) {
            self.request = request
            self.answer = answer
        }
    }

    package init(
        client: Client, command: LayoutCommand, precondition: Precondition = .none, validateOnly: Bool = false,
        origin: String = "", actor: String = "", provenance: Provenance? = nil, repeatable: Repeatable? = nil
    ) {
        self.client = client
        self.command = command
        self.precondition = precondition
        self.validateOnly = validateOnly
        self.origin = origin
        self.actor = actor
        self.provenance = provenance
        self.repeatable = repeatable
    }
}

/// What an imported layout was in another database. A user who is new here keeps version and time: were the versions counted
/// from 1 again, a device would some day meet one that it knows, with another list.
package struct Provenance: Sendable, Equatable {
    package var version: Version
    package var updatedAt: Timestamp

    package init(version: Version, updatedAt: Timestamp) {
        self.version = version
        self.updatedAt = updatedAt
    }
}

/// What came of a change. An object: it goes through many hands on its way to the answer.
package final class ChangeResult: Sendable {
    package let view: LayoutView
    /// The effective list before it.
    package let previous: [FunctionID]
    package let changed: Bool
    /// The version that the request was made on, where the layout had moved on since.
    package let rebasedFrom: Version?
    package let outcomes: [Outcome]
    /// What an earlier version had and could not come back.
    package let missing: [MissingItem]

    /// - Parameter view: what is stored by it; nil where nothing is.
    fileprivate init(_ current: LayoutView, _ view: LayoutView? = nil, _ proposal: Proposal? = nil) {
        self.view = view ?? current
        previous = current.layout.favorites
        changed = view != nil
        rebasedFrom = proposal?.rebasedFrom
        outcomes = proposal?.outcomes ?? []
        missing = proposal?.missing ?? []
    }
}

/// A change that was not made, and the layout as it is.
package struct ChangeRefused: Error, Sendable {
    package var reason: Reason
    package var current: LayoutView

    package enum Reason: Sendable {
        case precondition(Precondition.Failure)
        case rejected(Rejection)
    }
}

extension ChangeRequest {
    /// The whole decision, in the order of checks: precondition, lock, policy, state. Pure, apart from the history asked for.
    func decide(
        in transaction: any LayoutTransaction, catalog: Catalog, now: Timestamp
    ) throws -> Decision<ChangeResult> {
        let current = LayoutView(transaction.current, catalog: catalog, client: client)
        do {
            let result = try apply(to: current, in: transaction, now: now)
            let change =
                result.changed && !validateOnly
                ? LayoutChange(layout: result.view.stored, kind: command.kind, origin: origin, actor: actor) : nil
            return Decision(change: change, value: result, answer: validateOnly ? nil : repeatable?.answer(result))
        } catch let failure as Precondition.Failure {
            throw ChangeRefused(reason: .precondition(failure), current: current)
        } catch let rejection as Rejection {
            throw ChangeRefused(reason: .rejected(rejection), current: current)
        }
    }

    private func apply(
        to current: LayoutView, in transaction: any LayoutTransaction, now: Timestamp
    ) throws -> ChangeResult {
        let failure = precondition.failure(on: current.tag.text)
        if let failure {
            // RFC 9110 §13.1.1: the change has been made already; a repeat of it may be told so.
            guard failure == .failed, precondition.noneMatchHolds(on: current.tag.text), isInEffect(in: current) else {
                throw failure
            }
        }
        try checkState(of: current)
        if failure != nil { return ChangeResult(current) }

        let before = current.stored
        let after = try proposal(for: current, in: transaction)
        // Who is new here and had a version elsewhere keeps that too: counted from 1 again, it would be another list's.
        let isNew = before.version == 0 && provenance != nil
        if after.isUnchanged, !isNew { return ChangeResult(current, nil, after) }
        let next = before.nextVersion(floor: transaction.versionFloor)
        let version = before.version == 0 ? max(next, provenance?.version ?? 0) : next
        let isMoved = before.version == 0 && version == provenance?.version
        let stored = StoredLayout(
            favorites: after.favorites, version: version, locked: after.locked,
            updatedAt: isMoved ? provenance?.updatedAt : now)
        let view =
            if let layout = after.layout { LayoutView(stored, as: layout) } else {
                LayoutView(stored, catalog: current.layout.catalog, client: client)
            }
        return ChangeResult(current, view, after)
    }

    /// What another state would cure, whatever the list.
    private func checkState(of current: LayoutView) throws(Rejection) {
        if case .operations(let operations, madeOn: nil) = command, !precondition.namesAState,
            let index = operations.firstIndex(where: \.namesASlot)
        {
            throw Rejection(.unknownList, operationIndex: index)
        }
        if current.stored.locked && command.isRefusedByLock { throw Rejection(.layoutLocked) }
    }

    /// What the command comes to on the layout as it is.
    private func proposal(
        for current: LayoutView, in transaction: any LayoutTransaction
    ) throws -> Proposal {
        let catalog = current.layout.catalog
        var proposal = Proposal(current.stored)
        switch command {
        case .operations, .replace:
            let base = try baseList(in: transaction)
            var layout = current.layout
            proposal.outcomes = try carryOut(on: &layout, madeOn: base)
            proposal.rebasedFrom = base?.version
            // A request whose effective list comes out as it was stores nothing, even where healing had dropped something.
            guard layout.favorites != current.layout.favorites else { return proposal }
            proposal.store(current.isWhole ? layout.favorites : layout.stored(over: current.stored.favorites))
            // Healing would find the same again.
            proposal.layout = layout
        case .reset:
            proposal.store(nil)
        case .revert(let version):
            let list = try pastList(at: version, as: .target, in: transaction)
            let (layout, missing) = Layout.reverted(to: list, catalog: catalog, client: client)
            if layout.favorites != current.layout.favorites || (list == nil) == current.stored.customized {
                proposal.store(list == nil ? nil : layout.stored(over: list))
            }
            proposal.missing = missing
        case .lock(let isLocked):
            proposal.lock(isLocked)
        case .adopt(let list, locked: let isLocked):
            proposal.store(list?.filter { catalog[$0] != nil })
            proposal.lock(isLocked)
            proposal.missing = (list ?? []).filter { catalog[$0] == nil }.map {
                MissingItem(id: $0, refusal: .unknownFunction($0))
            }
        }
        return proposal
    }

    private func carryOut(on layout: inout Layout, madeOn base: BaseList?) throws(Rejection) -> [Outcome] {
        switch command {
        case .operations(let operations, _):
            if let base { return try Rebase.apply(operations, madeOn: base.list, to: &layout) }
            return try layout.apply(operations)
        case .replace(let list, _):
            do throws(Refusal) {
                if let base { return try Rebase.apply(list, madeOn: base.list, to: &layout) }
                try layout.replace(with: list)
            } catch {
                throw Rejection(error)
            }
            return []
        case .reset, .revert, .lock, .adopt:
            return []
        }
    }

    private struct BaseList {
        var version: Version
        var list: [FunctionID]?
    }

    /// The list on which the request was made, where that is not the current one.
    private func baseList(in transaction: any LayoutTransaction) throws -> BaseList? {
        guard let version = command.baseVersion, version != transaction.current.version else { return nil }
        return BaseList(version: version, list: try pastList(at: version, as: .base, in: transaction))
    }

    private func pastList(
        at version: Version, as use: Refusal.VersionUse, in transaction: any LayoutTransaction
    ) throws -> [FunctionID]? {
        switch try transaction.list(at: version) {
        case .kept(let list): return list
        case .expired(let oldest):
            throw Rejection(.baseExpired(version, as: use, oldest: oldest, newest: transaction.current.version))
        }
    }

    /// Whether the layout is already what the request wants it to be.
    private func isInEffect(in current: LayoutView) -> Bool {
        switch command {
        case .replace(let list, _): list == current.layout.favorites
        case .reset: !current.stored.customized
        case .operations, .revert, .lock, .adopt: false
        }
    }
}

/// What is to be stored, its version and time aside, and what will be said of it.
private struct Proposal {
    private(set) var favorites: [FunctionID]?
    private(set) var locked: Bool
    private(set) var isUnchanged = true
    /// The effective list, where the command has worked on it.
    var layout: Layout?
    var rebasedFrom: Version?
    var outcomes: [Outcome] = []
    var missing: [MissingItem] = []

    init(_ stored: StoredLayout) {
        favorites = stored.favorites
        locked = stored.locked
    }

    mutating func store(_ list: [FunctionID]?) {
        if list == favorites { return }
        favorites = list
        isUnchanged = false
    }

    mutating func lock(_ isLocked: Bool) {
        if isLocked == locked { return }
        locked = isLocked
        isUnchanged = false
    }
}

extension LayoutCommand {
    /// What an administrator does to a frozen layout is no edit of its user.
    fileprivate var isRefusedByLock: Bool {
        switch self {
        case .lock, .adopt: false
        case .operations, .replace, .reset, .revert: true
        }
    }

    fileprivate var kind: LayoutChange.Kind {
        switch self {
        case .operations: .operations
        case .replace: .replace
        case .reset: .reset
        case .revert: .revert
        case .lock: .lock
        case .adopt: .import
        }
    }
}

extension Operation {
    fileprivate var namesASlot: Bool {
        if case .move(.slot, _) = self { true } else { false }
    }
}
