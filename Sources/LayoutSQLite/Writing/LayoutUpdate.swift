import LayoutApplication
import LayoutModel
import LayoutRecords

/// The port's `update`, as it happens inside a transaction.
final class LayoutUpdate: @unchecked Sendable {
    // @unchecked: `answer` is touched by the writer alone.
    private let user: UserID
    private let request: IdempotentRequest?
    private let historyKept: Int
    private let decide: @Sendable (any LayoutTransaction) throws -> Decision<Void>
    private let settle: @Sendable (Result<Settled<Void>, any Error>) -> Void
    /// What the request had been answered before.
    private var answer: RecordedAnswer?

    init(
        of user: UserID, _ request: IdempotentRequest?, historyKept: Int,
        _ decide: @escaping @Sendable (any LayoutTransaction) throws -> Decision<Void>,
        then settle: @escaping @Sendable (Result<Settled<Void>, any Error>) -> Void
    ) {
        self.user = user
        self.request = request
        self.historyKept = historyKept
        self.decide = decide
        self.settle = settle
    }

    func run(in transaction: WriteTransaction) throws {
        let tables = transaction.tables
        if let request {
            answer = try tables.idempotency.answer(to: request, of: user)
            if answer != nil { return }
        }
        let current = try transaction.layout(of: user)
        // Who has no version at present may have had some before they were erased.
        let used = current.version == 0 ? try tables.erased.lastVersion(of: user) : 0
        let view = TransactionView(
            user: user, current: current, versionFloor: max(transaction.versionFloor, used), tables: tables)
        let decision = try decide(view)
        try write(decision, after: view, in: transaction)
    }

    func end(_ outcome: Result<Void, any Error>) {
        settle(outcome.map { answer.map(Settled.replayed) ?? .decided(()) })
    }

    private func write(
        _ decision: Decision<Void>, after view: TransactionView, in transaction: WriteTransaction
    ) throws {
        let answer = request == nil ? nil : decision.answer
        guard decision.change != nil || answer != nil else { return }
        try transaction.write {
            if let change = decision.change {
                try write(change, after: view, to: transaction.tables)
                transaction.note(change.layout, of: user, origin: change.origin)
            }
            if let request, let answer { try transaction.tables.idempotency.put(answer, to: request, of: user) }
        }
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
private final class TransactionView: LayoutTransaction {
    let current: StoredLayout
    let versionFloor: Version
    private let user: UserID
    private let tables: Tables

    init(user: UserID, current: StoredLayout, versionFloor: Version, tables: Tables) {
        self.user = user
        self.current = current
        self.versionFloor = versionFloor
        self.tables = tables
    }

    func list(at version: Version) throws -> PastList {
        // What a user who was never stored had is known without a row, and so is the newest.
        if version == 0 { return .kept(nil) }
        if version == current.version { return .kept(current.favorites) }
        return try StoreError.translating { try tables.revisions.list(of: user, at: version) }
    }
}
