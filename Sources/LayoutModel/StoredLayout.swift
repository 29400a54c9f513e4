/// What is kept of one user's layout.
package struct StoredLayout: Equatable, Sendable {
    /// The stored list, with what this or that client cannot see at present; nil while the user follows the defaults.
    package var favorites: [FunctionID]?
    package var version: Version
    /// Frozen by support.
    package var locked: Bool
    /// When this version was made; nil for version 0.
    package var updatedAt: Timestamp?

    package init(favorites: [FunctionID]?, version: Version, locked: Bool = false, updatedAt: Timestamp?) {
        self.favorites = favorites
        self.version = version
        self.locked = locked
        self.updatedAt = updatedAt
    }

    /// The layout of a user who was never stored.
    package static let never = Self(favorites: nil, version: 0, updatedAt: nil)

    /// Whether the user has a list of their own.
    package var customized: Bool { favorites != nil }

    /// The version after this one. A restored database counts from a floor above every version that the lost future can
    /// have handed out, so that no version is used twice.
    package func nextVersion(floor: Version) -> Version { max(version, floor) + 1 }
}
