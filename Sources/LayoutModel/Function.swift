/// One entry of the catalog that a user can open from the home screen. An object: every cell of every page refers to one.
package final class Function: Sendable {
    package let id: FunctionID
    package let title: Title
    package let icon: String?
    package let link: String?
    /// As published. What may be done to it is `canMove` and `canRemove`.
    package let isMovable: Bool
    package let isRemovable: Bool
    /// Healing puts it in where it is missing.
    package let isRequired: Bool
    /// The slot at which it stands while it is a favorite.
    package let pin: Int?
    package let status: Status
    package let availability: Availability

    init(
        id: FunctionID, title: Title, icon: String?, link: String?, isMovable: Bool, isRemovable: Bool,
        isRequired: Bool,
        pin: Int?, status: Status, availability: Availability
    ) {
        self.id = id
        self.title = title
        self.icon = icon
        self.link = link
        self.isMovable = isMovable
        self.isRemovable = isRemovable
        self.isRequired = isRequired
        self.pin = pin
        self.status = status
        self.availability = availability
    }

    package enum Status: String, Sendable {
        case active
        /// Hidden everywhere; it keeps its place in stored lists and comes back to it.
        case retired
    }

    /// Whether it may be the subject of a move. A pinned one may not.
    package var canMove: Bool { isMovable && pin == nil }
    /// Whether it may leave the favorites. A required one may not.
    package var canRemove: Bool { isRemovable && !isRequired }

    package func isAvailable(to client: Client) -> Bool {
        status == .active && availability.includes(client, of: id)
    }
}
