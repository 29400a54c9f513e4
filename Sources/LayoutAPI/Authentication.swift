import HTTP1
package import LayoutModel

/// Who asks.
package struct Principal: Sendable {
    /// The user whose own the request's resources are; nil for one who is no user.
    package var user: UserID?
    /// What the history and the log call them.
    package var name: String

    package init(user: UserID?, name: String) {
        self.user = user
        self.name = name
    }
}

/// Finds out who asks. A request that may not be made is refused before anything is read of it.
package enum Authentication: Sendable {
    /// Everybody may do everything: for a server that only its own machine can reach.
    case none

    func principal(for request: Request, access: Route.Access) throws -> Principal {
        switch self {
        case .none: Principal(user: nil, name: "")
        }
    }
}
