import LayoutApplication
import LayoutModel
import LayoutRecords

/// The port's `update`, as it happens inside a transaction.
struct LayoutUpdate<Value: Sendable>: Sendable {
    let user: UserID
    let request: IdempotentRequest?
    let historyKept: Int
    let decide: @Sendable (any LayoutTransaction) throws -> Decision<Value>

    func run(in transaction: WriteTransaction) throws -> Settled<Value> {
        if let request, let answer = try transaction.tables.idempotency.answer(to: request, of: user) {
            return .replayed(answer)
        }
        let current = try transaction.layout(of: user)
        // Who has no version at present may have had some before they were erased.
        let used = current.version == 0 ? try transaction.tables.erased.lastVersion(of: user) : 0
        let view = TransactionView(
            user: user, current: current, versionFloor: max(transaction.versionFloor, used),
            tables: transaction.tables)
        let decision = try decide(view)
        try write(decision, after: view, in: transaction)
        return .decided(decision.value)
    }

    private func write(
        _ decision: Decision<Value>, after view: TransactionView, in transaction: WriteTransaction
    ) throws {
        let recorded = request.flatMap { request in decision.answer.map { (request, $0) } }
        guard decision.change != nil || recorded != nil else { return }
        try transaction.write {
            if let change = decision.change { try write(change, after: view, to: transaction.tables) }
            if let (request, answer) = recorded {
                try transaction.tables.idempotency.put(answer, to: request, of: user)
            }
        }
        if let change = decision.change { transaction.note(change.layout, of: user, origin: change.origin) }
    }

    private func write(_ change: LayoutChange, after view: TransactionView, to tables: Tables) throws {
        let layout = change.layout
        let updatedAt = try change.timeMade(after: view)
        let items = Items.text(of: layout.favorites)
        try tables.layouts.put(LayoutRow(layout, items: items, updatedAt: updatedAt, of: user), of: user)
        let revision = RevisionRow(change, items: items, createdAt: updatedAt, of: user)
        try tables.revisions.add(revision, keeping: historyKept, of: user)
    }
}

/// What `decide` sees.
private struct TransactionView: LayoutTransaction {
    let user: UserID
    let current: StoredLayout
    let versionFloor: Version
    let tables: Tables

    func list(at version: Version) throws -> PastList {
        // What a user who was never stored had is known without a row, and so is the newest.
        if version == 0 { return .kept(nil) }
        if version == current.version { return .kept(current.favorites) }
        return try StoreError.translating { try tables.revisions.list(of: user, at: version) }
    }
}
