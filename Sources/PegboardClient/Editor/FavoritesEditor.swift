public import Foundation
import LayoutModel
public import Observation

/// What stands behind a collection view with the favorites in its first section: it answers what the view asks, makes
/// edits at once, and sends them through its `OfflineQueue`. It decides by the server's own rules.
///
/// Index paths are UIKit's: section, then item, and the destination of a move counts in the list after the item was
/// taken out. Section 0 are the favorites; only they can be arranged.
@MainActor @Observable public final class FavoritesEditor {
    /// What is shown. Empty until the first list and catalog came.
    public private(set) var sections: [FavoritesSection] = []
    /// Whether edits are collected until `commit()`.
    public private(set) var isEditing = false
    public private(set) var isLocked = false
    public private(set) var canUndo = false
    /// How many edits the server has not acknowledged.
    public private(set) var pendingCount = 0

    /// Called when the list came out other than the user left it.
    @ObservationIgnored public var didRebase: ((DidRebase) -> Void)?
    /// Says a refusal in the app's own words; the function's title is nil where it is about none.
    @ObservationIgnored public var wording: ((Refusal, _ title: String?) -> String)? { didSet { compose() } }

    @ObservationIgnored private let queue: OfflineQueue
    @ObservationIgnored private let language: String
    @ObservationIgnored private let title: String
    /// The list on display; while editing it is ahead of the queue.
    @ObservationIgnored private var shown: Layout?
    @ObservationIgnored private var draft: Draft?
    @ObservationIgnored private var past: [Step] = []
    @ObservationIgnored private var lastReport = 0
    @ObservationIgnored private var listening: Task<Void, Never>?

    private struct Draft {
        var base: Layout
        var operations: [FavoritesOperation] = []
        var past: Int
    }

    /// One thing the user did: the list before and after.
    private struct Step {
        var before: [FunctionID]
        var after: [FunctionID]
    }

    /// - Parameters:
    ///   - queue: what edits go into, and lists come from.
    ///   - language: of the titles, as the catalog names it (`en`, `zh-Hans`).
    ///   - title: of the favorites' section.
    public init(queue: OfflineQueue, language: String = "en", title: String = "My functions") {
        self.queue = queue
        self.title = title
        self.language = language
        lastReport = queue.reports.last?.id ?? 0
        catchUp()
        let changes = queue.changes()
        listening = Task { [weak self] in
            for await _ in changes { self?.catchUp() }
        }
    }

    deinit { listening?.cancel() }
}

// MARK: What the view asks

extension FavoritesEditor {
    public var numberOfSections: Int { sections.count }

    public func numberOfItems(inSection section: Int) -> Int {
        sections.indices.contains(section) ? sections[section].cells.count : 0
    }

    /// nil where there is no such cell.
    public func cell(at path: IndexPath) -> FavoritesCell? {
        guard let (section, item) = path.cell, sections.indices.contains(section),
            sections[section].cells.indices.contains(item)
        else { return nil }
        return sections[section].cells[item]
    }

    /// `collectionView(_:canMoveItemAt:)`
    public func canMoveItem(at path: IndexPath) -> Bool {
        guard let (section, _) = path.cell, section == 0 else { return false }
        return cell(at: path)?.canMove ?? false
    }

    /// `collectionView(_:targetIndexPathForMoveOfItemFromOriginalIndexPath:atCurrentIndexPath:toProposedIndexPath:)`:
    /// the nearest place where the item may stand. Of another section than the first, the favorites' end is nearest.
    public func targetIndexPath(forMoveFrom original: IndexPath, proposed: IndexPath) -> IndexPath {
        guard let (section, item) = original.cell, section == 0, let wanted = proposed.cell, let shown,
            shown.favorites.indices.contains(item)
        else { return original }
        let slot = wanted.section == 0 ? wanted.item : shown.favorites.count
        let targets = shown.targets(of: shown.favorites[item], proposed: slot, locked: isLocked)
        return targets.corrected.map { .cell($0, inSection: 0) } ?? original
    }

    public func badge(for path: IndexPath) -> Badge { cell(at: path)?.badge ?? .none }

    /// What to say while the cell shakes; nil where there is nothing to refuse.
    public func refusal(for path: IndexPath) -> Refusal? { cell(at: path)?.refusal }

    /// The favorite's place; nil for what is none.
    public func indexPath(ofFavorite id: String) -> IndexPath? {
        sections.first?.cells.firstIndex { $0.function == id }.map { .cell($0, inSection: 0) }
    }
}

// MARK: Editing

extension FavoritesEditor {
    /// `collectionView(_:moveItemAt:to:)`. The view has moved the cell already: it takes one out and puts it in, and does
    /// not know that pinned cells stay where they are.
    ///
    /// - Returns: the paths at which the view now shows another cell than it should, to be reloaded; mostly none.
    /// - Throws: `Refusal`, and what the storage throws. Nothing is changed then: reload the section.
    @discardableResult
    public func moveItem(at source: IndexPath, to destination: IndexPath) throws -> [IndexPath] {
        guard let from = source.cell, let to = destination.cell, let cell = cell(at: source) else {
            throw Refusal(
                LayoutModel.Refusal.indexOutOfRange(
                    index: source.cell?.item ?? 0, maximum: numberOfItems(inSection: 0) - 1))
        }
        guard from.section == 0, to.section == 0 else {
            let section = from.section == 0 ? to.section : from.section
            let name = sections.indices.contains(section) ? sections[section].id : String(section)
            throw worded(.sectionFixed(name), about: nil)
        }
        var asShown = favorites
        let moved = asShown.remove(at: from.item)
        try perform([.move(cell.function, to: .index(to.item))])
        asShown.insert(moved, at: min(to.item, asShown.count))
        return zip(asShown, favorites).enumerated().compactMap { slot, pair in
            pair.0 == pair.1 ? nil : .cell(slot, inSection: 0)
        }
    }

    /// Makes a function a favorite: at the end, or at a slot.
    public func add(_ id: String, at slot: Int? = nil) throws {
        try perform([.add(id, at: slot.map { .index($0) })])
    }

    public func remove(_ id: String) throws { try perform([.remove(id)]) }

    /// What a tap on the cell's badge does: − takes out, + puts in.
    ///
    /// - Throws: the cell's refusal, where its badge says that there is nothing to do.
    public func tapBadge(at path: IndexPath) throws {
        guard let cell = cell(at: path) else { return }
        switch cell.badge {
        case .remove: try remove(cell.function)
        case .add: try add(cell.function)
        case .full, .none: if let refusal = cell.refusal { throw refusal }
        case .added: break
        }
    }

    /// From now on edits are collected and shown, and what others change is not taken in, until `commit()` or `cancel()`.
    /// Call it when a drag begins too: a list must not change under the finger.
    public func beginEditing() {
        guard !isEditing, let shown else { return }
        draft = Draft(base: shown, past: past.count)
        isEditing = true
    }

    /// Hands the collected edits on, as one change, and takes in what others have done meanwhile. Those that another catalog
    /// or a lock forbids by now are left out: `didRebase` names them.
    ///
    /// - Throws: what the storage throws; the edits are still there then.
    public func commit() throws {
        guard let draft else { return }
        if let shown, shown.favorites != draft.base.favorites {
            try queue.commit(draft.operations, madeOn: texts(draft.base.favorites))
            past.removeSubrange(draft.past...)
            past.append(Step(before: draft.base.favorites, after: shown.favorites))
        } else {
            past.removeSubrange(draft.past...)
        }
        endEditing()
    }

    /// Drops the collected edits.
    public func cancel() {
        guard let draft else { return }
        past.removeSubrange(draft.past...)
        shown = draft.base
        endEditing()
    }

    private func endEditing() {
        draft = nil
        isEditing = false
        catchUp()
    }

    /// Takes back what the user did last, as a new edit: what others have done since stays.
    ///
    /// - Throws: `Refusal` where it may not be any more; what the storage throws.
    public func undo() throws {
        guard let step = past.last, draft.map({ past.count > $0.past }) ?? true, var wanted = shown else { return }
        do throws(LayoutModel.Refusal) {
            _ = try Rebase.apply(step.before, madeOn: step.after, to: &wanted)
        } catch {
            throw worded(error, about: nil)
        }
        guard let shown else { return }
        try perform(EditScript.operations(from: shown, to: wanted.favorites), isUndo: true)
        past.removeLast()
        canUndo = !past.isEmpty
    }

    private func perform(_ operations: [FavoritesOperation], isUndo: Bool = false) throws {
        guard let shown else { throw Refusal.notLoaded }
        var result = shown
        var anchored: [FavoritesOperation] = []
        for operation in operations {
            try apply(operation, to: &result)
            let plain = operation.anchored(in: result)
            anchored.append(plain)
        }
        guard result.favorites != shown.favorites else { return }
        if draft == nil {
            try queue.edit(anchored, madeOn: texts(shown.favorites))
        } else {
            draft?.operations += anchored
        }
        if !isUndo { remember(Step(before: shown.favorites, after: result.favorites)) }
        self.shown = result
        compose()
        if draft == nil { catchUp() }
    }

    /// The last fifty; while editing none goes, since `cancel()` counts them.
    private func remember(_ step: Step) {
        past.append(step)
        if draft == nil && past.count > 50 { past.removeFirst() }
    }

    private func apply(_ operation: FavoritesOperation, to layout: inout Layout) throws {
        let id = operation.ids.first
        if isLocked { throw worded(.layoutLocked, about: nil) }
        do {
            _ = try layout.apply([operation.model()])
        } catch let error as Rejection {
            throw worded(error.refusal, about: id)
        }
    }
}

// MARK: What is shown

extension FavoritesEditor {
    private var favorites: [String] { texts(shown?.favorites ?? []) }

    private func texts(_ ids: [FunctionID]) -> [String] { ids.map(\.text) }

    private func worded(_ refusal: LayoutModel.Refusal, about id: String?) -> Refusal {
        let function = id.flatMap { FunctionID($0) }.flatMap { shown?.catalog[$0] }
        let title = function.map { $0.title.text(in: language, or: shown?.catalog.defaultLanguage ?? language) }
        var result = Refusal(refusal, title: title, pin: function?.pin)
        if let wording { result.message = wording(result, title) }
        return result
    }

    /// Takes in what the queue has. While the user edits, their list stays under their finger.
    package func catchUp() {
        let sync = queue.sync
        pendingCount = sync.pendingCount
        guard draft == nil, let local = sync.local else { return }
        let before = shown?.favorites
        let reports = sync.reports.filter { $0.id > lastReport }
        lastReport = reports.last?.id ?? lastReport
        shown = local
        isLocked = sync.isLocked
        canUndo = !past.isEmpty
        compose()
        if let before, before != local.favorites || !reports.isEmpty {
            didRebase?(DidRebase(before: texts(before), after: texts(local.favorites), reports: reports))
        }
    }

    private func compose() {
        canUndo = past.count > draft?.past ?? 0
        guard let shown else { return }
        let stored = StoredLayout(favorites: nil, version: 0, locked: isLocked, updatedAt: nil)
        let page = Page(shown, stored: stored, language: language)
        let own = FavoritesSection(
            id: "favorites", title: title, cells: page.favorites.map { cell($0, in: "favorites", of: page) })
        let next =
            [own]
            + page.sections.map { section in
                FavoritesSection(
                    id: section.id, title: section.title,
                    cells: section.cells.map { cell($0, in: section.id, of: page) })
            }
        if next != sections { sections = next }
    }

    private func cell(_ cell: Page.Cell, in section: String, of page: Page) -> FavoritesCell {
        let function = page.function(of: cell)
        return FavoritesCell(
            function: function.id.text, section: section, title: page.title(of: cell),
            icon: function.icon, link: function.link, badge: Badge(rawValue: cell.badge.rawValue) ?? .none,
            canMove: cell.canMove, canRemove: cell.canRemove,
            refusal: cell.refusal.map { worded($0, about: function.id.text) })
    }
}
