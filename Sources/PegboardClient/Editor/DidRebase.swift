/// The list came out other than the user left it: another device has changed it too, or the rules have changed.
public struct DidRebase: Sendable {
    /// The favorites as they were shown, and as they are now.
    public var before: [String]
    public var after: [String]
    /// What became of edits of this device that could not be made as the user wanted.
    public var reports: [EditReport]
}
