import Glibc
import LayoutAPI
import LayoutModel

extension Command {
    static let tokenMint = Command(
        name: "token mint", summary: "Sign a token with the configured secret, for trying things with curl",
        settings: [.jwtSecretFile, .jwtIssuer, .jwtAudience, .listen],
        options: [
            .init(name: "user", placeholder: "ID", help: "Whose token it is (sub)"),
            .init(name: "scope", placeholder: "LIST", help: "What it allows [layout:read layout:write]"),
            .init(name: "ttl", placeholder: "TIME", help: "How long it is valid [1h]"),
            .init(name: "console", help: "Print a link that signs in to the console where --listen says"),
        ]
    ) { invocation in
        let tokens = invocation.configuration.tokens
        guard let user = UserID(invocation.options["user"] ?? "") else {
            throw CommandFailure(.usage, "--user is needed: \(UserID.allowed).")
        }
        let scope = invocation.options["scope"] ?? "layout:read layout:write"
        if let unknown = Scopes.unknown(in: scope).first {
            let known = Scopes.allNames.joined(separator: ", ")
            throw CommandFailure(.usage, "--scope: '\(unknown)' is no scope; known are \(known).")
        }
        guard let ttl = Units.duration(invocation.options["ttl"] ?? "1h"),
            (1...31_536_000).contains(ttl.components.seconds)
        else { throw CommandFailure(.usage, "--ttl is 1s to 365d, such as 1h.") }
        guard let path = tokens.files.secret else {
            throw CommandFailure(.badConfiguration, "--jwt-secret-file (PEGBOARD_JWT_SECRET_FILE) has to be given.")
        }
        let (issuer, audience) = try tokens.issuerAndAudience()
        let console = invocation.options["console"].map { _ in invocation.configuration.listen[0].url() }
        do throws(CredentialFault) {
            let secret = SecretFile.octets(try contents(of: path))
            let mint = try TokenMint(secret: secret, issuer: issuer, audience: audience)
            let now = Machine.now() / 1_000
            let token = mint.token(for: user, scope: scope, now: now, lifetime: ttl.components.seconds)
            // Behind the #: a browser keeps that part to itself, so no server and no log gets to see it.
            Machine.print(console.map { "\($0)/console#token=\(token)\n" } ?? "\(token)\n")
        } catch {
            throw CommandFailure(.badConfiguration, "\(path): \(error).")
        }
    }

    static let tokenHash = Command(
        name: "token hash", summary: "Print the line of --admin-token-file for a token, read from a pipe or made up",
        options: [.init(name: "name", placeholder: "NAME", help: "What history and log call its bearer [admin]")]
    ) { invocation in
        let name = invocation.options["name"] ?? "admin"
        guard UserID.isName(name), !name.hasPrefix("#"), !name.contains(where: \.isWhitespace) else {
            throw CommandFailure(.usage, "--name is 1 to 128 bytes without white space, and does not begin with #.")
        }
        var token = try pipedToken()
        if token.isEmpty {
            token = TokenMint.random()
            Machine.print("The token, shown this once:\n\(token)\n", to: STDERR_FILENO)
        }
        Machine.print("\(name) \(SHA256Digest(of: Array(token.utf8)).hexadecimal)\n")
    }

    private static func contents(of path: String) throws(CredentialFault) -> [UInt8] {
        do { return try Machine.read(path) } catch { throw CredentialFault("it cannot be read") }
    }

    /// The token on standard input; empty where a person sits there, or nothing comes.
    private static func pipedToken() throws -> String {
        guard isatty(STDIN_FILENO) != 1 else { return "" }
        let token = SecretFile.octets(try Machine.read("/dev/stdin"))
        if token.isEmpty { return "" }
        // RFC 6750 §2.1; and unsalted SHA-256 keeps only what cannot be guessed.
        guard token.count >= 32, token.allSatisfy(\.isTokenCharacter) else {
            throw CommandFailure(
                .badInput,
                "A token has 32 characters or more of A-Z a-z 0-9 - . _ ~ + / =. An empty input makes one up.")
        }
        return String(decoding: token, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: StaticString("-._~+/=").withUTF8Buffer { $0.contains(self) }
        }
    }
}
