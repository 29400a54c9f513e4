package import LayoutApplication
package import LayoutModel

/// One row of `revisions`: a version of a user's layout, and how it came about.
package struct RevisionRow: Sendable {
    package var version: Version
    package var items: String?
    package var locked: Bool
    package var kind: String
    package var origin: String
    package var actor: String
    package var createdAt: Timestamp
    package var checksum: Int64

    /// As it was read.
    package init(
        version: Version, items: String?, locked: Bool, kind: String, origin: String, actor: String,
        createdAt: Timestamp, checksum: Int64
    ) {
        self.version = version
        self.items = items
        self.locked = locked
        self.kind = kind
        self.origin = origin
        self.actor = actor
        self.createdAt = createdAt
        self.checksum = checksum
    }

    /// To be written.
    package init(_ change: LayoutChange, items: String?, createdAt: Timestamp, of user: UserID) {
        self.init(
            version: change.layout.version, items: items, locked: change.layout.locked, kind: change.kind.rawValue,
            origin: change.origin, actor: change.actor, createdAt: createdAt, checksum: 0)
        checksum = computedChecksum(of: user)
    }

    /// - Throws: `StoreError.damaged`.
    package func revision(of user: UserID) throws -> Revision {
        let what = "revision \(version) of \(user)"
        return try verified(computedChecksum(of: user), checksum, what) {
            guard let kind = LayoutChange.Kind(rawValue: kind) else { throw StoreError.damaged(what: what) }
            return Revision(
                layout: StoredLayout(
                    favorites: try Items.list(from: items), version: version, locked: locked, updatedAt: createdAt),
                kind: kind, origin: origin, actor: actor)
        }
    }

    private func computedChecksum(of user: UserID) -> Int64 {
        RowChecksum.of("revisions") { sum in
            sum.add(user.text)
            sum.add(version)
            sum.add(items)
            sum.add(locked)
            sum.add(kind)
            sum.add(origin)
            sum.add(actor)
            sum.add(createdAt)
        }
    }
}
