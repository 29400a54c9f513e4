import LayoutAPI

extension Setting {
    static let auth = Setting(
        "auth", "jwt|none", "jwt",
        "Who may do what: jwt (as a bearer token says), none (everybody everything; on loopback alone)"
    ) { (text, configuration) throws(NotAllowed) in
        guard let mode = Configuration.AuthenticationMode(rawValue: text) else {
            throw NotAllowed(allowed: "jwt or none")
        }
        configuration.authentication = mode
    }

    static let jwks = text("jwks", "FILE", "Public keys of the tokens' issuer: a JWK Set; read again when it changes") {
        $0.files.issuerKeys = $1
    }

    static let jwtSecretFile = text(
        "jwt-secret-file", "FILE", "Secret that tokens are signed with (HS256), 32 bytes or more"
    ) {
        $0.files.secret = $1
    }

    static let jwtIssuer = text("jwt-issuer", "TEXT", "What the tokens' iss has to be, letter by letter") {
        $0.issuer = $1
    }

    static let jwtAudience = text("jwt-audience", "TEXT", "What the tokens' aud has to be, or to list") {
        $0.audience = $1
    }

    static let jwtAlgorithms = Setting(
        "jwt-algorithms", "NAME,…", "HS256,RS256,ES256,EdDSA",
        "Signatures to take; keys for others are left out"
    ) { (text, configuration) throws(NotAllowed) in
        let names = text.split(separator: ",").map(String.init)
        let algorithms = names.compactMap(SigningAlgorithm.init(rawValue:))
        guard !names.isEmpty, algorithms.count == names.count else {
            throw NotAllowed(allowed: "some of HS256, RS256, ES256 and EdDSA, with commas between them")
        }
        configuration.tokens.algorithms = Set(algorithms)
    }

    static let adminTokenFile = text(
        "admin-token-file", "FILE",
        "Administrators' tokens: NAME SHA256HEX a line, as `pegboard token hash` prints them"
    ) { $0.files.adminTokens = $1 }

    private static func text(
        _ name: String, _ placeholder: String, _ help: String,
        _ set: @escaping @Sendable (inout Configuration.Tokens, String) -> Void
    ) -> Setting {
        Setting(name, placeholder, "", help) { (text, configuration) throws(NotAllowed) in
            guard !text.isEmpty else { throw NotAllowed(allowed: "not empty") }
            set(&configuration.tokens, text)
        }
    }
}
