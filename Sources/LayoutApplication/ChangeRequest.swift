package import LayoutModel

/// One write, as it came: who, what, and under which conditions.
package struct ChangeRequest: Sendable {
    package var client: Client
    package var command: LayoutCommand
    package var precondition = Precondition.none
    /// Give the answer that the write would give, and change nothing.
    package var validateOnly = false
    /// What the history says of who did it; see `LayoutChange`.
    package var origin = ""
    package var actor = ""
    /// What a layout that comes in was where it comes from; see `Provenance`.
    package var provenance: Provenance?
    /// Set where the client may repeat the request; `record` then makes the answer to keep.
    package var request: IdempotentRequest?
    package var record: (@Sendable (ChangeResult) -> RecordedAnswer)?

    package init(client: Client, command: LayoutCommand) {
        self.client = client
        self.command = command
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

/// What came of a change.
package struct ChangeResult: Sendable {
    package var view: LayoutView
    /// The effective list before it.
    package var previous: [FunctionID]
    package var changed = false
    /// The version that the request was made on, where the layout had moved on since.
    package var rebasedFrom: Version?
    package var outcomes: [Outcome] = []
    /// What an earlier version had and could not come back.
    package var missing: [MissingItem] = []

    init(_ view: LayoutView) {
        self.view = view
        previous = view.layout.favorites
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
            return Decision(change: change, value: result, answer: validateOnly ? nil : record?(result))
        } catch let failure as Precondition.Failure {
            throw ChangeRefused(reason: .precondition(failure), current: current)
        } catch let rejection as Rejection {
            throw ChangeRefused(reason: .rejected(rejection), current: current)
        }
    }

    private func apply(
        to current: LayoutView, in transaction: any LayoutTransaction, now: Timestamp
    ) throws -> ChangeResult {
        var result = ChangeResult(current)
        let failure = precondition.failure(on: current.tag.text)
        if let failure {
            // RFC 9110 §13.1.1: the change has been made already; a repeat of it may be told so.
            guard failure == .failed, precondition.noneMatchHolds(on: current.tag.text), isInEffect(in: current) else {
                throw failure
            }
        }
        try checkState(of: current)
        if failure != nil { return result }

        let before = current.stored
        let after = try proposal(for: current, in: transaction, &result)
        // Who is new here and had a version elsewhere keeps that too: counted from 1 again, it would be another list's.
        let isNew = before.version == 0 && provenance != nil
        if before.favorites == after.favorites, before.locked == after.locked, !isNew { return result }
        result.changed = true
        let next = before.nextVersion(floor: transaction.versionFloor)
        let version = before.version == 0 ? max(next, provenance?.version ?? 0) : next
        let isMoved = before.version == 0 && version == provenance?.version
        result.view = LayoutView(
            StoredLayout(
                favorites: after.favorites, version: version, locked: after.locked,
                updatedAt: isMoved ? provenance?.updatedAt : now),
            catalog: current.layout.catalog, client: client)
        return result
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

    /// What is to be stored, its version and time aside; what will be said of it goes into `result`.
    private func proposal(
        for current: LayoutView, in transaction: any LayoutTransaction, _ result: inout ChangeResult
    ) throws -> StoredLayout {
        var stored = current.stored
        switch command {
        case .operations, .replace:
            let base = try baseList(in: transaction)
            var layout = current.layout
            result.outcomes = try carryOut(on: &layout, madeOn: base)
            result.rebasedFrom = base?.version
            // A request whose effective list comes out as it was stores nothing, even where healing had dropped something.
            if layout.favorites != current.layout.favorites {
                stored.favorites = layout.stored(over: current.stored.favorites)
            }
        case .reset:
            stored.favorites = nil
        case .revert(let version):
            let list = try pastList(at: version, in: transaction)
            let (layout, missing) = Layout.reverted(to: list, catalog: current.layout.catalog, client: client)
            stored.favorites = list == nil ? nil : layout.stored(over: list)
            result.missing = missing
        case .lock(let isLocked):
            stored.locked = isLocked
        case .adopt(let list, locked: let isLocked):
            let catalog = current.layout.catalog
            stored.favorites = list?.filter { catalog[$0] != nil }
            stored.locked = isLocked
            result.missing = (list ?? []).filter { catalog[$0] == nil }.map {
                MissingItem(id: $0, refusal: .unknownFunction($0))
            }
        }
        return stored
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
        return BaseList(version: version, list: try pastList(at: version, in: transaction))
    }

    private func pastList(at version: Version, in transaction: any LayoutTransaction) throws -> [FunctionID]? {
        switch try transaction.list(at: version) {
        case .kept(let list): return list
        case .expired(let oldest): throw Rejection(.baseExpired(base: version, oldest: oldest))
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
