package import LayoutApplication
package import LayoutModel

/// One row of `layouts`: the newest version of a user's layout.
package struct LayoutRow: Sendable {
    package var version: Version
    package var items: String?
    package var locked: Bool
    package var updatedAt: Timestamp
    package var checksum: Int64

    /// As it was read.
    package init(version: Version, items: String?, locked: Bool, updatedAt: Timestamp, checksum: Int64) {
        self.version = version
        self.items = items
        self.locked = locked
        self.updatedAt = updatedAt
        self.checksum = checksum
    }

    /// To be written.
    package init(_ layout: StoredLayout, items: String?, updatedAt: Timestamp, of user: UserID) {
        self.init(version: layout.version, items: items, locked: layout.locked, updatedAt: updatedAt, checksum: 0)
        checksum = computedChecksum(of: user)
    }

    /// - Throws: `StoreError.damaged`.
    package func layout(of user: UserID) throws -> StoredLayout {
        try verified(computedChecksum(of: user), checksum, "layout of \(user) at version \(version)") {
            StoredLayout(
                favorites: try Items.list(from: items), version: version, locked: locked, updatedAt: updatedAt)
        }
    }

    /// A layout never is without history: where there is one, the row was lost, to a flipped bit in its key perhaps, and
    /// the user must not be taken for a new one.
    package static func lost(_ user: UserID) -> StoreError {
        .damaged(what: "layout of \(user): it has a history and no row")
    }

    private func computedChecksum(of user: UserID) -> Int64 {
        RowChecksum.of("layouts") { sum in
            sum.add(user.text)
            sum.add(version)
            sum.add(items)
            sum.add(locked)
            sum.add(updatedAt)
        }
    }
}
