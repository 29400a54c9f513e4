package import LayoutModel

/// A layout as one client sees it.
package struct LayoutView: Sendable {
    package let stored: StoredLayout
    package let layout: Layout
    package let tag: LayoutTag

    package init(_ stored: StoredLayout, catalog: Catalog, client: Client) {
        self.init(stored, as: Layout(healing: stored.favorites, catalog: catalog, client: client))
    }

    init(_ stored: StoredLayout, as layout: Layout) {
        self.stored = stored
        self.layout = layout
        tag = LayoutTag(of: stored, as: layout)
    }

    /// Whether the client sees the stored list as it is: nothing of it is hidden or gone.
    var isWhole: Bool { stored.favorites != nil && tag.layoutRevision == nil }
}
