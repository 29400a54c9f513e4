import HTTP1

extension Problem {
    init(_ failure: AuthenticationFailure) {
        switch failure {
        case .noCredentials:
            self.init(.unauthorized, "This resource needs an access token: Authorization: Bearer TOKEN.")
            // RFC 6750 §3.1: no error code for a request that did not try.
            fields = [("WWW-Authenticate", "Bearer")]
        case .severalCredentials:
            self.init(.malformedRequest, "A request has one Authorization field, not several.")
        case .invalidToken(let refusal):
            self.init(.invalidToken, "\(refusal.sentence).")
            fields = [
                ("WWW-Authenticate", "Bearer error=\"invalid_token\", error_description=\"\(refusal.sentence)\"")
            ]
        case .notYours:
            self.init(.forbidden, "A user's token reaches what belongs to that user, and nothing else.")
        case .insufficientScope(let scopes):
            self.init(.insufficientScope, "This needs a token with the scope \(scopes.list).")
            params = [.text("scope", scopes.list)]
            fields = [("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"\(scopes.list)\"")]
        }
    }
}
