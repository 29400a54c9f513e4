package import LayoutModel

/// What `update` shows to its closure: the world at the moment of the change.
package protocol LayoutTransaction {
    var current: StoredLayout { get }
    /// The floor that versions are counted from; see `StoredLayout.nextVersion`.
    var versionFloor: Version { get }
    /// What the stored list was at `version`, of this user.
    func list(at version: Version) throws -> PastList
}

package enum PastList: Equatable, Sendable {
    /// The stored list then; nil while the user followed the defaults.
    case kept([FunctionID]?)
    /// Older than the history kept, or never handed out. `oldest` is the oldest version that is still known.
    case expired(oldest: Version?)
}

/// What is to become of a layout.
package struct Decision<Value: Sendable>: Sendable {
    /// The new layout with its new version, or nil to leave everything as it is.
    package var change: LayoutChange?
    /// What else came of it.
    package var value: Value
    /// What a repeat of this request is to be answered; kept only with a `request`, and only where it is not nil.
    package var answer: RecordedAnswer?

    package init(change: LayoutChange?, value: Value, answer: RecordedAnswer? = nil) {
        self.change = change
        self.value = value
        self.answer = answer
    }
}
