/// Layout and catalog composed for one client: every section, every cell, and what may be done to it. Computed from one
/// snapshot of both.
package struct Page: Sendable {
    package let layout: Layout
    package let stored: StoredLayout
    package let language: String
    package let favorites: [Cell]
    package let sections: [Section]

    package struct Section: Sendable {
        package let id: String
        package let title: String
        package let cells: [Cell]
    }

    package struct Cell: Sendable {
        /// Where its function stands in the catalog: see `Page.function(of:)`.
        package let place: Int
        package let badge: Badge
        /// In the favorites: whether the cell may be dragged.
        package let canMove: Bool
        package let canRemove: Bool
        /// Why not what its user would try first: to say while the cell shakes.
        package let refusal: Refusal?
    }

    package enum Badge: String, Sendable {
        /// −, on a favorite.
        case remove
        /// Nothing to tap: a favorite that may not be removed, or a locked layout.
        case none
        /// ✓, outside the favorites: it is one already.
        case added
        /// +
        case add
        /// No + because the limit is reached.
        case full
    }

    package init(_ layout: Layout, stored: StoredLayout, language: String) {
        self.layout = layout
        self.stored = stored
        self.language = language
        let catalog = layout.catalog
        // Whether a removal meets the minimum, or an addition the limit, is the same for every cell.
        let locked: Refusal? = stored.locked ? .layoutLocked : nil
        let tooFew = layout.refusalToShrink
        favorites = layout.favorites.compactMap { id in
            guard let place = catalog.place(of: id) else { return nil }
            let function = catalog.functions[place]
            let move = locked ?? (function.canMove ? nil : .itemNotMovable(id))
            let remove = locked ?? (function.canRemove ? tooFew : .itemNotRemovable(id))
            return Cell(
                place: place, badge: remove == nil ? .remove : .none, canMove: move == nil,
                canRemove: remove == nil,
                refusal: move ?? remove)
        }
        let members = Membership(of: layout.favorites, in: catalog)
        let isFull = layout.favorites.count >= catalog.policy.limit
        let full: Refusal? =
            isFull
            ? .favoritesLimit(limit: catalog.policy.limit, requested: layout.favorites.count + 1, scope: .step) : nil
        sections = catalog.sections.map { section in
            Section(
                id: section.id, title: section.title.text(in: language, or: catalog.defaultLanguage),
                cells: section.functions.compactMap { id in
                    guard let place = catalog.available(id, to: layout.client) else { return nil }
                    let isMember = members.contains(place: place)
                    let badge: Badge = isMember ? .added : locked != nil ? .none : isFull ? .full : .add
                    return Cell(
                        place: place, badge: badge, canMove: false, canRemove: false,
                        refusal: isMember ? nil : locked ?? full)
                })
        }
    }

    package func function(of cell: Cell) -> Function { layout.catalog.functions[cell.place] }

    /// What the cell's function is called in the page's language.
    package func title(of cell: Cell) -> String {
        function(of: cell).title.text(in: language, or: layout.catalog.defaultLanguage)
    }

    /// The slots that are taken for good at present, and by what.
    package var pins: [(slot: Int, id: FunctionID)] {
        favorites.enumerated().compactMap { slot, cell in
            let function = function(of: cell)
            return function.pin == nil ? nil : (slot, function.id)
        }
    }
}
