/// The conditions that a request sets on the current entity tag (RFC 9110 §13), already parsed.
package struct Precondition: Sendable {
    package var match: TagList?
    package var noneMatch: TagList?
    /// Whether the request has to say with `match` which state it was made on.
    package var isRequired: Bool

    package enum TagList: Sendable, Equatable {
        case any
        case tags([EntityTag])
    }

    package struct EntityTag: Sendable, Equatable {
        package var isWeak: Bool
        package var opaque: String

        package init(isWeak: Bool = false, opaque: String) {
            self.isWeak = isWeak
            self.opaque = opaque
        }
    }

    package init(match: TagList? = nil, noneMatch: TagList? = nil, isRequired: Bool = false) {
        self.match = match
        self.noneMatch = noneMatch
        self.isRequired = isRequired
    }

    package static let none = Self()

    /// Whether the request names the very list that it was made on.
    package var namesAState: Bool {
        if case .tags = match { true } else { false }
    }

    /// What the conditions say to the tag in force, in the order of RFC 9110 §13.2.2; nil where they hold.
    ///
    /// - Parameter current: nil for what has no tag: none that a request names is its.
    package func failure(on current: @autoclosure () -> String?) -> Failure? {
        // Most requests set none.
        if match == nil && noneMatch == nil { return isRequired ? .required : nil }
        let current = current()
        if case .tags(let tags) = match, !tags.contains(where: { !$0.isWeak && $0.opaque == current }) {
            return tags.contains(where: \.isWeak) ? .weakValidator : .failed
        }
        switch noneMatch {
        case nil: break
        // The default layout is a current representation: there always is one.
        case .any: return .exists
        case .tags(let tags): if tags.contains(where: { $0.opaque == current }) { return .exists }
        }
        return isRequired && match == nil ? .required : nil
    }

    /// Whether `If-None-Match` alone holds.
    func noneMatchHolds(on current: String) -> Bool { Self(noneMatch: noneMatch).failure(on: current) == nil }

    package enum Failure: Error, Sendable {
        /// None of `If-Match` is the tag in force.
        case failed
        /// The same, and one of them is weak, which never matches (RFC 9110 §13.1.1: strong comparison).
        case weakValidator
        /// One of `If-None-Match` is the tag in force.
        case exists
        /// There is no `If-Match`, and one is required.
        case required
    }
}
