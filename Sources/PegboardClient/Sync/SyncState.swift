package import Foundation
package import LayoutModel

/// What one device knows of its user's layout, and what it wants changed: a value, without clock, disk or network.
///
/// ```
/// confirmed ──sealed──▶ seen ──open──▶ local
/// ```
/// `confirmed` is the newest list that the server is known to have had. `sealed` is the one request that may be under way:
/// it was made on `confirmed`, never changes, and keeps its key until it is answered. `open` are the edits made since, on
/// the list `seen`. While a request is under way a newer list is only put aside, since nobody can tell whether it has the
/// request in it; as soon as that is known, `open` is carried over to what the server has made of it.
package struct SyncState: Sendable {
    package private(set) var stored = Stored()
    package private(set) var catalog: CatalogSnapshot?
    /// A list says by its tag that it is unchanged, whatever catalog is in force by now.
    private var isCatalogInDoubt = false
    package let client: Client

    /// What outlives the program.
    package struct Stored: Codable, Equatable, Sendable {
        package init() {}

        package var confirmed: LayoutSnapshot?
        package var sealed: SealedEdits?
        package var seen: [String] = []
        package var open: [FavoritesOperation] = []
        /// A list that came while a request was under way.
        package var aside: LayoutSnapshot?
        package var reports: [EditReport] = []
        package var nextReport = 1
        /// The server's list is needed before anything else is sent.
        package var needsLayout = true
    }

    package init(client: Client, stored: Stored = Stored(), catalog: CatalogSnapshot? = nil) {
        self.client = client
        self.stored = stored
        self.catalog = catalog
    }

    package var confirmed: LayoutSnapshot? { stored.confirmed }
    package var sealed: SealedEdits? { stored.sealed }
    package var open: [FavoritesOperation] { stored.open }
    package var reports: [EditReport] { stored.reports }
    package var isLocked: Bool { confirmed?.locked == true }

    /// How many edits the server has not acknowledged.
    package var pendingCount: Int { open.count + (sealed?.operations.count ?? 0) }
    package var needsLayout: Bool { stored.needsLayout || stored.confirmed == nil }
    /// Whether the list was made under a catalog that this device does not have yet, or may have been.
    package var needsCatalog: Bool {
        guard let catalog, !isCatalogInDoubt else { return true }
        return catalog.revision < confirmed?.catalogRevision ?? 0
    }
}

/// Edits in the one form in which they are sent, until they are answered.
package struct SealedEdits: Codable, Equatable, Sendable {
    package var key: String
    /// The request's path and query with the app version of that time, and its content: a repeat must be the same
    /// request, also after an update of the app.
    package var target: String
    package var body: Data
    package var operations: [FavoritesOperation]
}

// MARK: The lists

extension SyncState {
    /// What the user sees: the server's list with all pending edits made. nil before the first list and catalog came.
    package var local: Layout? { layout(stored.seen)?.after(open) }

    func layout(_ list: [String]) -> Layout? {
        guard let catalog, confirmed != nil else { return nil }
        return Layout(healing: ids(list), catalog: catalog.catalog, client: client)
    }

    private func ids(_ list: [String]) -> [FunctionID] { list.compactMap { FunctionID($0) } }
}

// MARK: Editing

extension SyncState {
    /// Makes edits that were decided on the list `seen`, which the user was shown.
    ///
    /// - Throws: where one of them is not allowed on that list; nothing is changed then.
    package mutating func edit(_ operations: [FavoritesOperation], madeOn seen: [String]? = nil) throws(Refusal) {
        guard let local, let shown = seen.map(layout) ?? local else { throw .notLoaded }
        if isLocked { throw Refusal(LayoutModel.Refusal.layoutLocked) }
        var result = shown
        for operation in operations {
            let model = try operation.model()
            do throws(Rejection) {
                _ = try result.apply([model])
            } catch {
                throw Refusal(error.refusal)
            }
        }
        carry(operations, from: shown.favorites, to: local)
    }

    /// Makes edits that were allowed when the user made them, on the list `seen`: what the rules, or support, forbid by now is
    /// left out and told.
    package mutating func commit(_ operations: [FavoritesOperation], madeOn seen: [String]) throws(Refusal) {
        guard let local else { throw .notLoaded }
        guard !isLocked else {
            let refusal = Refusal(LayoutModel.Refusal.layoutLocked)
            return report(operations.map { ($0, .refused(refusal)) })
        }
        carry(operations, from: ids(seen), to: local)
    }

    private mutating func carry(_ operations: [FavoritesOperation], from seen: [FunctionID], to local: Layout) {
        var carry = CarryOver(from: seen, onto: local)
        for operation in operations { carry.carry(operation) }
        report(carry.notes)
        for operation in carry.operations { append(operation) }
    }

    /// Two edits that are one in effect become one; edits that cancel each other out are none.
    private mutating func append(_ operation: FavoritesOperation) {
        guard let base = layout(stored.seen), let wanted = base.after(open + [operation])?.favorites else { return }
        var next = open + [operation]
        if let last = open.last, let merged = last.merged(with: operation) {
            let shorter = open.dropLast() + merged
            if base.after(Array(shorter))?.favorites == wanted { next = Array(shorter) }
        }
        stored.open = wanted == base.favorites ? [] : next
    }
}

extension FavoritesOperation {
    /// What has the effect of both, if it can be said in one step or none.
    fileprivate func merged(with next: Self) -> [Self]? {
        switch (self, next) {
        case (.move(let one, _), .move(let two, _)) where one == two: [next]
        case (.add(let one, _), .move(let two, let placement)) where [one] == two: [.add(one, at: placement)]
        case (.add(let one, _), .remove(let two)) where one == two: []
        case (.move(let one, _), .remove(let two)) where one == [two]: [next]
        default: nil
        }
    }
}

// MARK: What comes from the server

extension SyncState {
    /// Takes in a list, however old: what tells nothing new is left out.
    ///
    /// - Parameters:
    ///   - snapshot: the list, from wherever it came.
    ///   - isCurrent: the server said just now that this is the list. Then version 0 is news too: the user was erased.
    package mutating func receive(_ snapshot: LayoutSnapshot, isCurrent: Bool = false) {
        stored.needsLayout = false
        let isErased = isCurrent && snapshot.version == 0
        if let confirmed, !snapshot.isNewer(than: confirmed), !isErased || confirmed.version == 0 { return }
        guard sealed == nil else {
            // An erasure is met again with the next question; nothing of what is under way can be told from it.
            if isErased { return }
            if stored.aside.map(snapshot.isNewer) ?? true { stored.aside = snapshot }
            return
        }
        carryOpen(to: snapshot)
    }

    package mutating func receive(_ catalog: CatalogSnapshot) {
        isCatalogInDoubt = false
        if let own = self.catalog, own.revision >= catalog.revision { return }
        self.catalog = catalog
        guard let current = layout(stored.seen) else { return }
        // What the new catalog forbids is found out now, while the user can be told.
        var carry = CarryOver(from: ids(stored.seen), onto: current)
        for operation in open { carry.carry(operation) }
        report(carry.notes)
        stored.open = carry.operations
    }

    private mutating func adopt(_ snapshot: LayoutSnapshot) {
        stored.needsLayout = false
        carryOpen(to: snapshot)
    }

    private mutating func carryOpen(to snapshot: LayoutSnapshot) {
        let (edits, seen) = (open, stored.seen)
        stored.confirmed = snapshot
        stored.seen = snapshot.favorites
        guard !edits.isEmpty, let current = layout(snapshot.favorites) else { return }
        var carry = CarryOver(from: ids(seen), onto: current)
        for operation in edits { carry.carry(operation) }
        report(carry.notes)
        stored.open = []
        for operation in carry.operations { append(operation) }
    }

    private mutating func report(_ notes: [CarryOver.Note]) {
        for note in notes {
            stored.reports.append(EditReport(id: stored.nextReport, operation: note.operation, result: note.result))
            stored.nextReport += 1
        }
    }

    package mutating func forget(reports ids: Set<Int>) { stored.reports.removeAll { ids.contains($0.id) } }
}

// MARK: The request under way

extension SyncState {
    /// Closes the oldest open edits into a request. nil where there are none, or one is under way.
    package mutating func seal(key: String, target: String) -> SealedEdits? {
        guard sealed == nil, let confirmed, !needsLayout, !open.isEmpty, let base = layout(stored.seen) else {
            return nil
        }
        let batch = Array(open.prefix(LayoutModel.Operation.mostInOneRequest))
        guard let after = base.after(batch),
            let body = try? JSONEncoder.canonical.encode(
                OperationsContent(baseVersion: confirmed.version, operations: batch))
        else { return nil }
        let edits = SealedEdits(key: key, target: target, body: body, operations: batch)
        stored.sealed = edits
        stored.open.removeFirst(batch.count)
        stored.seen = after.favorites.map(\.text)
        return edits
    }

    /// The server has carried the request with this key out, now or earlier.
    package mutating func settle(_ change: LayoutChange, key: String) {
        guard let sealed, sealed.key == key else { return }
        report(zip(sealed.operations, change.outcomes).compactMap(Self.note))
        stored.sealed = nil
        carryOpen(to: change.layout)
        takeAside()
    }

    /// The server will never carry the request with this key out as it is.
    package mutating func refuse(_ problem: PegboardError.Problem, key: String) {
        guard let sealed, sealed.key == key, let confirmed else { return }
        var rest = sealed.operations
        if let index = problem.operationIndex, rest.indices.contains(index) {
            report([(rest.remove(at: index), .refused(problem.refusal))])
        } else if problem.code != .baseExpired && problem.code != "idempotency_key_reused" {
            report(rest.map { ($0, .refused(problem.refusal)) })
            rest = []
        }
        stored.sealed = nil
        reopen(rest, on: confirmed)
        // The history reaches not back to where the edits were made, or the rules have changed: on with what is there now.
        stored.needsLayout = true
        if let current = problem.current {
            // A server that was set back counts from a lower version: its list would be taken for an old one, for ever.
            if problem.code == .baseExpired { adopt(current) } else { receive(current) }
        }
        takeAside()
    }

    private mutating func reopen(_ edits: [FavoritesOperation], on confirmed: LayoutSnapshot) {
        let (later, seen) = (open, stored.seen)
        stored.seen = confirmed.favorites
        stored.open = []
        guard let base = layout(confirmed.favorites) else {
            stored.open = edits + later
            return
        }
        var carry = CarryOver(from: ids(confirmed.favorites), onto: base)
        for operation in edits { carry.carry(operation) }
        // What came later was made on the list with the refused edit in it.
        var rest = CarryOver(from: ids(seen), onto: carry.current)
        for operation in later { rest.carry(operation) }
        report(carry.notes + rest.notes)
        for operation in carry.operations + rest.operations { append(operation) }
    }

    private mutating func takeAside() {
        guard let aside = stored.aside else { return }
        stored.aside = nil
        let needed = stored.needsLayout
        receive(aside)
        stored.needsLayout = needed
    }

    /// Asks for the server's list and catalog before anything else is sent.
    package mutating func askAnew() {
        stored.needsLayout = true
        isCatalogInDoubt = true
    }

    private static func note(_ operation: FavoritesOperation, _ outcome: OperationOutcome) -> CarryOver.Note? {
        switch (outcome.result, outcome.reason) {
        case ("skipped", "anchor_absent"): (operation, .anchorAbsent)
        case ("skipped", _): (operation, .itemAbsent)
        case ("anchor_substituted", _): outcome.at.map { (operation, .substituted($0)) }
        default: outcome.absent.map { (operation, .partly(absent: $0)) }
        }
    }
}

extension Refusal {
    static let notLoaded = Refusal(code: "not_loaded", message: "The page is not there yet")
}
