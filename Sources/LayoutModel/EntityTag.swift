/// What tells one state of a layout, as one client sees it, from another.
package struct LayoutTag: Hashable, Sendable {
    package let version: Version
    /// The catalog that shaped the list, where healing made it other than the stored one.
    package let layoutRevision: Int?

    package init(of stored: StoredLayout, as layout: Layout) {
        version = stored.version
        layoutRevision = stored.favorites == layout.favorites ? nil : layout.catalog.layoutRevision
    }

    /// The opaque part of the entity tag: `7`, or `7+c3`.
    package var text: String { layoutRevision.map { "\(version)+c\($0)" } ?? "\(version)" }
}
