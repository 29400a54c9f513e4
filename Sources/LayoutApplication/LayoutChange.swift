package import LayoutModel

/// A new version of a layout, and what the history says of it.
package struct LayoutChange: Sendable, Equatable {
    package var layout: StoredLayout
    package var kind: Kind
    /// The client as it names itself; empty where it does not.
    package var origin: String
    /// Who it was: the token's subject or the administrator's name; empty where nobody has to say.
    package var actor: String

    package enum Kind: String, Sendable, CaseIterable {
        case operations, replace, reset, revert, `import`, lock
    }

    package init(layout: StoredLayout, kind: Kind, origin: String = "", actor: String = "") {
        self.layout = layout
        self.kind = kind
        self.origin = origin
        self.actor = actor
    }
}

/// One version of a layout, as the history has it.
package struct Revision: Sendable, Equatable {
    package var layout: StoredLayout
    package var kind: LayoutChange.Kind
    package var origin: String
    package var actor: String

    package init(layout: StoredLayout, kind: LayoutChange.Kind, origin: String, actor: String) {
        self.layout = layout
        self.kind = kind
        self.origin = origin
        self.actor = actor
    }
}
