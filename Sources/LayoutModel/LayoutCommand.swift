/// What a client wants done to a layout.
package enum LayoutCommand: Sendable, Equatable {
    /// - Parameter madeOn: the version on which they were made; where the layout has moved on they are rebased.
    case operations([Operation], madeOn: Version?)
    /// The whole effective list as it is to be.
    case replace([FunctionID], madeOn: Version?)
    /// Back to following the defaults.
    case reset
    /// The list of an earlier version again, as a new one.
    case revert(to: Version)
    /// Freezes the layout, or gives it back as it was.
    case lock(Bool)
    /// A stored list as it was exported, here or elsewhere; nil to follow the defaults.
    case adopt([FunctionID]?, locked: Bool)

    package var baseVersion: Version? {
        switch self {
        case .operations(_, let version), .replace(_, let version): version
        case .reset, .revert, .lock, .adopt: nil
        }
    }
}
