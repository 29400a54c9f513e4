/// The conditions that a request sets on the current entity tag (RFC 9110 §13), already parsed.
package struct Precondition: Sendable {
    package var match: TagList?
    package var noneMatch: TagList?

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

    package init(match: TagList? = nil, noneMatch: TagList? = nil) {
        self.match = match
        self.noneMatch = noneMatch
    }

    package static let none = Self()

    /// Whether the request names the very list that it was made on.
    package var namesAState: Bool {
        if case .tags = match { true } else { false }
    }

    /// What the conditions say to the tag in force; nil where they hold.
    ///
    /// - Returns: `.weakValidator` where a weak tag stands in the way, which never matches (RFC 9110 §13.1.1: strong
    ///   comparison), or `.failed`.
    package func failure(on current: String) -> Failure? {
        if case .tags(let tags) = match, !tags.contains(where: { !$0.isWeak && $0.opaque == current }) {
            return tags.contains(where: \.isWeak) ? .weakValidator : .failed
        }
        switch noneMatch {
        case nil: return nil
        // The default layout is a current representation: there always is one.
        case .any: return .failed
        case .tags(let tags): return tags.contains { $0.opaque == current } ? .failed : nil
        }
    }

    package enum Failure: Error, Sendable { case failed, weakValidator }
}
