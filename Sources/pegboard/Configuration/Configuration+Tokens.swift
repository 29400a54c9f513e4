import LayoutAPI

extension Configuration {
    /// What bearer tokens are held against.
    struct Tokens: Sendable {
        var files = CredentialFiles.Paths()
        var issuer: String?
        var audience: String?
        var algorithms = Set(SigningAlgorithm.allCases)

        /// A server that nobody can sign in to is a mistake, and so is one that takes tokens made for another (RFC 8725
        /// §3.8, §3.9).
        func check() throws {
            let takesUsers = files.issuerKeys != nil || files.secret != nil
            guard takesUsers || files.adminTokens != nil else {
                throw CommandFailure(
                    .badConfiguration,
                    "--auth jwt needs something to hold tokens against: --jwks or --jwt-secret-file for users, "
                        + "--admin-token-file for administrators. `--auth none` on loopback asks nobody who they are.")
            }
            if takesUsers { _ = try issuerAndAudience() }
        }

        func issuerAndAudience() throws -> (issuer: String, audience: String) {
            guard let issuer else { throw missing("--jwt-issuer (PEGBOARD_JWT_ISSUER)", "iss") }
            guard let audience else { throw missing("--jwt-audience (PEGBOARD_JWT_AUDIENCE)", "aud") }
            return (issuer, audience)
        }

        private func missing(_ setting: String, _ claim: String) -> CommandFailure {
            CommandFailure(
                .badConfiguration,
                "\(setting) has to be given: a token whose '\(claim)' is another is for somebody else.")
        }
    }
}
