/// An edit that did not come out as the user made it: nothing of what they did is dropped without one.
public struct EditReport: Hashable, Sendable, Codable, Identifiable {
    /// Counts up on this device; for `OfflineQueue.forget(reports:)`.
    public var id: Int
    /// The edit as it was to be sent.
    public var operation: FavoritesOperation
    public var result: Result

    public enum Result: Hashable, Sendable, Codable {
        /// Made beside another item, since the one that was named is gone.
        case substituted(FavoritesOperation.Placement)
        /// Not made: another device removed what it was about.
        case itemAbsent
        /// Not made: what it was to stand beside is gone, and everything around it.
        case anchorAbsent
        /// Made, but not for the items that are gone.
        case partly(absent: [String])
        /// Not made: the rules, or support, forbid it by now.
        case refused(Refusal)
    }

    /// Whether the user's edit was left out.
    public var isDropped: Bool {
        switch result {
        case .substituted, .partly: false
        case .itemAbsent, .anchorAbsent, .refused: true
        }
    }
}
