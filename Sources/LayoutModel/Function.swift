/// One entry of the catalog that a user can open from the home screen.
package struct Function: Sendable {
    package let id: FunctionID
    package var title: Title
    package var icon: String?
    package var link: String?
    /// As published. What may be done to it is `canMove` and `canRemove`.
    package var isMovable = true
    package var isRemovable = true
    /// Healing puts it in where it is missing.
    package var isRequired = false
    /// The slot at which it stands while it is a favorite.
    package var pin: Int?
    package var status = Status.active
    package var availability = Availability.everyone

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
