package import LayoutModel

/// One write, as it came: who, what, and under which conditions.
package struct ChangeRequest: Sendable {
    package var client: Client
    package var command: LayoutCommand
    package var precondition = Precondition.none
    /// Give the answer that the write would give, and change nothing.
    package var validateOnly = false
    /// What the history says of who did it.
    package var origin = ""
    /// Set where the client may repeat the request; `record` then makes the answer to keep.
    package var request: IdempotentRequest?
    package var record: (@Sendable (ChangeResult) -> RecordedAnswer)?

    package init(client: Client, command: LayoutCommand) {
        self.client = client
        self.command = command
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
                ? LayoutChange(layout: result.view.stored, kind: command.kind, origin: origin) : nil
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
        if case .operations(let operations, madeOn: nil) = command, !precondition.namesAState,
            let index = operations.firstIndex(where: \.namesASlot)
        {
            throw Rejection(.unknownList, operationIndex: index)
        }
        if current.stored.locked { throw Rejection(.layoutLocked) }
        if failure != nil { return result }

        var layout = current.layout
        let base = try baseList(in: transaction)
        let outcomes = try carryOut(on: &layout, madeOn: base)
        (result.rebasedFrom, result.outcomes) = (base?.version, outcomes)
        let isReset = command == .reset && current.stored.customized
        if layout.favorites != current.layout.favorites || isReset {
            let next = StoredLayout(
                favorites: isReset ? nil : layout.stored(over: current.stored.favorites),
                version: current.stored.nextVersion(floor: transaction.versionFloor),
                locked: current.stored.locked, updatedAt: now)
            result.view = LayoutView(next, catalog: layout.catalog, client: client)
            result.changed = true
        }
        return result
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
        case .reset:
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
        switch try transaction.list(at: version) {
        case .kept(let list): return BaseList(version: version, list: list)
        case .expired(let oldest): throw Rejection(.baseExpired(base: version, oldest: oldest))
        }
    }

    /// Whether the layout is already what the request wants it to be.
    private func isInEffect(in current: LayoutView) -> Bool {
        switch command {
        case .replace(let list, _): list == current.layout.favorites
        case .reset: !current.stored.customized
        case .operations: false
        }
    }
}

extension LayoutCommand {
    fileprivate var kind: LayoutChange.Kind {
        switch self {
        case .operations: .operations
        case .replace: .replace
        case .reset: .reset
        }
    }
}

extension Operation {
    fileprivate var namesASlot: Bool {
        if case .move(.slot, _) = self { true } else { false }
    }
}
