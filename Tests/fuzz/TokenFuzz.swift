import Glibc
import LayoutModel

@testable import LayoutAPI

/// The first octet says what the others are:
///
///     T   a token, as it came: of all there are, the good seeds alone are taken
///     S   a header, a line end, claims: made into a token with a right signature, or the claims would never be read
///     K   a JWK Set
struct TokenFuzz {
    private static let now = 1_767_225_600
    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    private let authenticator: Authenticator
    private let good: Set<[UInt8]>

    init() {
        let admin = Self.seed("raw-admin")
        good = Set(["hs256", "rs256", "es256", "eddsa"].map { Self.seed("raw-good-\($0)") } + [admin])
        guard
            let set = try? JSONWebKeySet(Self.seed("keys"), algorithms: Set(SigningAlgorithm.allCases)),
            let secret = try? VerificationKey.secret(Self.secret), let keys = try? KeySet(set.keys + [secret]),
            let admins = try? AdminTokens(Array("ops \(SHA256Digest(of: admin).hexadecimal)\n".utf8))
        else { fatalError("the seeds hold no keys") }
        authenticator = Authenticator(
            Credentials(keys: keys, adminTokens: admins), issuer: "https://id.example", audience: "layouts",
            clock: { Int64(Self.now) * 1_000 })
        for token in good { check(principal(token) != nil, "a good token is refused: \(token)") }
    }

    func run(_ octets: [UInt8]) {
        let rest = Array(octets.dropFirst())
        switch octets.first {
        case UInt8(ascii: "T"): bear(rest)
        case UInt8(ascii: "S"): sign(rest)
        case UInt8(ascii: "K"): load(rest)
        default: break
        }
    }

    private func principal(_ token: [UInt8]) -> Principal? { try? authenticator.principal(bearing: token[...]) }

    private func bear(_ token: [UInt8]) {
        check((principal(token) != nil) == good.contains(token), "a token that nobody signed is taken")
    }

    private func sign(_ text: [UInt8]) {
        let parts = text.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let signed = "\(Base64URL.encode(Array(parts[0]))).\(Base64URL.encode(Array(parts[1])))"
        var code = Array(signed.utf8).withUnsafeBufferPointer { HMAC.sha256($0, key: Self.secret) }
        guard let principal = principal(Array("\(signed).\(Base64URL.encode(code))".utf8)) else { return }
        check(principal.validUntil > Int64(Self.now) * 1_000, "a token that has expired is taken")
        check(claims(parts[1], "iss", "https://id.example"), "a token of another issuer is taken")
        check(claims(parts[1], "sub", principal.user?.text ?? ""), "a token is taken for another user's")
        check(claims(parts[0], "alg", "HS256"), "a token of another algorithm is taken")
        let bit = Int(number(from: text) % 256)
        code[bit / 8] ^= 1 << UInt8(bit % 8)
        check(self.principal(Array("\(signed).\(Base64URL.encode(code))".utf8)) == nil, "a wrong signature is taken")
    }

    /// Whether the text of that member is this, octet by octet.
    private func claims(_ json: ArraySlice<UInt8>, _ name: String, _ text: String) -> Bool {
        guard case .object(let members)? = try? JSONReader.read(Array(json)) else { return false }
        return members.contains { member in
            guard case .string(let value) = member.value else { return false }
            return member.name.utf8.elementsEqual(name.utf8) && value.utf8.elementsEqual(text.utf8)
        }
    }

    private func load(_ document: [UInt8]) {
        guard let set = try? JSONWebKeySet(document, algorithms: Set(SigningAlgorithm.allCases)) else { return }
        check(!set.keys.isEmpty, "a set without keys is taken")
        _ = try? KeySet(set.keys)
        let message = Array("header.payload".utf8)
        // Ed25519 has keys with which zeros verify; whoever may write the key file may let anybody in anyway.
        for key in set.keys where key.algorithm != .edDSA {
            for count in [0, 32, 64, 256] {
                let zeros = [UInt8](repeating: 0, count: count)
                check(!key.verifies(zeros, over: message[...]), "a signature of zeros is taken")
            }
        }
    }

    /// A seed without the octet that says what it is.
    private static func seed(_ name: String) -> [UInt8] {
        let folder = #filePath.dropLast("TokenFuzz.swift".count)
        guard let file = fopen("\(folder)seeds/token/\(name)", "r") else { fatalError("there is no seed '\(name)'") }
        defer { fclose(file) }
        var octets = [UInt8](repeating: 0, count: 16 * 1_024)
        octets.removeLast(octets.count - fread(&octets, 1, octets.count, file))
        return Array(octets.dropFirst())
    }
}
