package import LayoutModel

/// Who asks. An object: one is kept with each verified token, and every request passes it on.
package final class Principal: Sendable {
    /// The user whose own the request's resources are; nil for one who is no user.
    package let user: UserID?
    /// What the history calls them: the token's subject, or the name of the admin's token.
    package let name: String
    package let scopes: Scopes
    /// What the log calls them: an admin's name, or a user's pseudonym.
    package let logName: String
    /// When the token stops being taken, in milliseconds since 1970: an answer that goes on for long ends then.
    package let validUntil: Int64

    package init(
        user: UserID?, name: String, scopes: Scopes = [], logName: String = "", validUntil: Int64 = .max
    ) {
        self.user = user
        self.name = name
        self.scopes = scopes
        self.logName = logName
        self.validUntil = validUntil
    }

    /// Where nobody is asked who they are.
    static let anyone = Principal(user: nil, name: "")

    convenience init(_ token: AccessToken) {
        // The log shows that two requests are one user's, not whose. Whoever knows the ids can still try them all.
        let pseudonym = SHA256Digest(of: Array(token.subject.text.utf8)).hexadecimal.prefix(16)
        self.init(
            user: token.subject, name: token.subject.text, scopes: token.scopes, logName: "user:\(pseudonym)",
            validUntil: token.validity.upperBound)
    }

    convenience init(adminNamed name: String) {
        self.init(user: nil, name: name, scopes: .admin, logName: "admin:\(name)")
    }
}
