/// One section of the page, the user's favorites first.
public struct FavoritesSection: Hashable, Sendable, Identifiable {
    public var id: String
    public var title: String
    public var cells: [FavoritesCell]
}

/// One cell, and what may be done to it.
public struct FavoritesCell: Hashable, Sendable {
    /// The function. It stands among the favorites and in its own section: see `id`.
    public var function: String
    /// The section it stands in.
    public var section: String
    public var title: String
    public var icon: String?
    public var link: String?
    public var badge: Badge
    public var canMove: Bool
    public var canRemove: Bool
    /// Why not what its user would try first: to say while the cell shakes.
    public var refusal: Refusal?
}

extension FavoritesCell: Identifiable {
    /// One on the whole page, and the same while the cell's badge changes: what a diffable data source wants.
    public var id: ID { ID(section: section, function: function) }

    public struct ID: Hashable, Sendable {
        public var section: String
        public var function: String

        public init(section: String, function: String) {
            self.section = section
            self.function = function
        }
    }
}
