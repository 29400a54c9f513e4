/// What stands on a cell's corner.
public enum Badge: String, Sendable, Codable, Hashable {
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
