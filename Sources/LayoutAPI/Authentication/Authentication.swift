import HTTP1
import LayoutModel

/// Finds out who asks, and whether they may. A request that may not be made is refused before anything is read of it,
/// and before anything is looked up: an answer never tells whether another's resource exists.
package enum Authentication: Sendable {
    /// Everybody may do everything: for a server that only its own machine can reach.
    case none
    /// A bearer token with every request (RFC 6750 §2.1), in its field alone: one in the query would end up in logs.
    case bearer(Authenticator)

    /// Who asks.
    func principal(of request: Request, access: Route.Access) throws -> Principal {
        guard case .bearer(let authenticator) = self, access != .anyone else { return .anyone }
        return try authenticate(request, by: authenticator)
    }

    /// - Throws: `AuthenticationFailure` when they may not.
    func authorize(_ principal: Principal, _ request: Request, access: Route.Access) throws {
        guard case .bearer = self else { return }
        try access.check(principal, request)
    }

    /// Whether what is an administrator's alone may be done.
    func isAdministrator(_ principal: Principal) -> Bool {
        guard case .bearer = self else { return true }
        return principal.scopes.contains(.admin)
    }

    /// Asks again whether the token of `request` is taken: an answer that goes on for long may outlive the keys, or the
    /// admin's line, that it was let in by.
    func standing(of request: Request) throws -> @Sendable () -> Bool {
        guard case .bearer(let authenticator) = self else { return { true } }
        let token = Array(try BearerCredentials.token(of: request.fields))
        return { (try? authenticator.principal(bearing: token[...])) != nil }
    }

    private func authenticate(
        _ request: Request, by authenticator: Authenticator
    ) throws(AuthenticationFailure) -> Principal {
        let token = try BearerCredentials.token(of: request.fields)
        do throws(TokenRefusal) { return try authenticator.principal(bearing: token) } catch {
            throw .invalidToken(error)
        }
    }
}

/// The `Authorization` field (RFC 9110 §11.6.2, RFC 6750 §2.1).
private enum BearerCredentials {
    static func token(of fields: Fields) throws(AuthenticationFailure) -> ArraySlice<UInt8> {
        switch fields.occurrence(of: "Authorization") {
        case .none: throw .noCredentials
        // Two of them: a proxy in front may have believed the other one.
        case .several: throw .severalCredentials
        case .once(let credentials):
            let scheme = credentials.prefix(6)
            let rest = credentials[scheme.endIndex...]
            guard scheme.equalsIgnoringCase("Bearer"), rest.isEmpty || rest.first == UInt8(ascii: " ") else {
                throw .noCredentials
            }
            return rest.drop { $0 == UInt8(ascii: " ") }
        }
    }
}

/// Why a request may not be made.
enum AuthenticationFailure: Error, Equatable {
    /// Nothing that says who asks, or a scheme that is not spoken here.
    case noCredentials
    case severalCredentials
    case invalidToken(TokenRefusal)
    /// Another user's resource.
    case notYours
    /// Any one of these would do.
    case insufficientScope(Scopes)
}

extension Route.Access {
    /// - Throws: `AuthenticationFailure` when `principal` may not do this.
    fileprivate func check(_ principal: Principal, _ request: Request) throws(AuthenticationFailure) {
        if principal.scopes.contains(.admin) { return }
        switch self {
        case .anyone, .anyUser: return
        case .reader, .writer:
            // First whose it is: no scope would help.
            guard principal.owns(request.target) else { throw .notYours }
            if self == .reader, principal.scopes.contains(.readLayout) { return }
            // Who may write is shown what was written, in the answer to the write at the latest.
            guard principal.scopes.contains(.writeLayout) else {
                throw .insufficientScope(self == .reader ? .readLayout : .writeLayout)
            }
        case .publisher:
            guard principal.scopes.contains(.writeCatalog) else { throw .insufficientScope(.writeCatalog) }
        case .admin: throw .insufficientScope(.admin)
        }
    }
}

extension Principal {
    /// Whether `target` is a resource of this user. Everything that belongs to a user stands below `/v1/users/{user}`;
    /// a test holds the routes for readers and writers to that.
    fileprivate func owns(_ target: RequestTarget) -> Bool {
        guard let user, let named = target.segment(2) else { return false }
        // Octet by octet: `String` takes two spellings of a letter for one, and would give one user another's layout.
        return named.decodes(to: user.text) || named.decodes(to: "me")
    }
}
