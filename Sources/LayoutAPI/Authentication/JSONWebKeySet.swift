import HTTP1

/// The public keys of an issuer, from a JWK Set (RFC 7517 §5).
struct JSONWebKeySet: Sendable {
    private(set) var keys: [VerificationKey] = []
    /// Why keys of the set were left out, one clause each. RFC 7517 §5: what is not understood is passed over; a key
    /// that is understood and weak is not, or it would go unnoticed.
    private(set) var ignored: [String] = []

    static let largest = 1 << 20

    init(_ document: [UInt8], algorithms: Set<SigningAlgorithm>) throws(CredentialFault) {
        guard document.count <= Self.largest else { throw CredentialFault("it is longer than \(Self.largest) bytes") }
        let root: JSONValue
        do throws(ContentFault) { root = try JSONReader.read(document) } catch {
            throw CredentialFault("it is not JSON: \(error.detail)")
        }
        guard case .object(let members) = root, case .array(let elements)? = members[octets: "keys"] else {
            throw CredentialFault("it is no JWK Set, which is an object with an array 'keys'")
        }
        for (index, element) in elements.enumerated() {
            guard case .object(let jwk) = element else { throw CredentialFault("keys[\(index)] is no object") }
            do throws(CredentialFault) {
                try add(JSONWebKey(jwk), algorithms)
            } catch {
                throw CredentialFault("keys[\(index)]: \(error)")
            }
        }
        if keys.isEmpty {
            let reasons = ignored.isEmpty ? "it is empty" : ignored.joined(separator: "; ")
            throw CredentialFault("no key of the set can be used: \(reasons)")
        }
    }

    private mutating func add(_ jwk: JSONWebKey, _ algorithms: Set<SigningAlgorithm>) throws(CredentialFault) {
        switch try jwk.key(algorithms) {
        case .usable(let key): keys.append(key)
        case .ignored(let why): ignored.append(why)
        }
    }
}

/// One key of a set (RFC 7517 §4), as it stands there.
private struct JSONWebKey {
    private let members: [JSONValue.Member]

    enum Reading {
        case usable(VerificationKey)
        case ignored(String)
    }

    init(_ members: [JSONValue.Member]) { self.members = members }

    func key(_ algorithms: Set<SigningAlgorithm>) throws(CredentialFault) -> Reading {
        guard let type = try text("kty") else { throw CredentialFault("'kty' is missing") }
        if type == "oct" {
            throw CredentialFault("a secret has no place among public keys; --jwt-secret-file takes it")
        }
        if members[octets: "d"] != nil { throw CredentialFault("this is a private key; give the public one") }
        let id = try text("kid").map { Array($0.utf8) }
        let name = id.map { "'\(String(decoding: $0, as: UTF8.self))'" } ?? "without kid"
        if let use = try text("use"), use != "sig" { return .ignored("key \(name) is for '\(use)'") }
        guard let algorithm = try algorithm(of: type) else { return .ignored("key \(name) is of an unknown kind") }
        // RFC 7517 §4.4: what the key says of itself; the only statement of an algorithm that counts.
        if let stated = try text("alg"), stated != algorithm.rawValue {
            return .ignored("key \(name) is for \(stated)")
        }
        guard algorithms.contains(algorithm) else { return .ignored("key \(name) is for \(algorithm.rawValue)") }
        switch algorithm {
        case .rs256: return .usable(try .rsa(modulus: try octets("n"), exponent: try octets("e"), id: id))
        case .es256: return .usable(try .p256(x: try octets("x"), y: try octets("y"), id: id))
        case .edDSA: return .usable(try .ed25519(try octets("x"), id: id))
        case .hs256: throw CredentialFault("a secret has no place among public keys")
        }
    }

    private func algorithm(of type: String) throws(CredentialFault) -> SigningAlgorithm? {
        switch (type, try text("crv")) {
        case ("RSA", _): .rs256
        case ("EC", "P-256"): .es256
        case ("OKP", "Ed25519"): .edDSA
        default: nil
        }
    }

    private func text(_ name: StaticString) throws(CredentialFault) -> String? {
        switch members[octets: name] {
        case nil: return nil
        case .string(let text)?: return text
        default: throw CredentialFault("'\(name)' is no string")
        }
    }

    private func octets(_ name: StaticString) throws(CredentialFault) -> [UInt8] {
        guard let text = try text(name), let octets = Base64URL.decode(Array(text.utf8)), !octets.isEmpty else {
            throw CredentialFault("'\(name)' is missing, or not base64url without padding")
        }
        return octets
    }
}

extension [JSONValue.Member] {
    /// The value of the member with exactly this name, octet by octet (RFC 7519 §7.3), where `String` would take two
    /// spellings of a letter for one.
    subscript(octets name: StaticString) -> JSONValue? {
        first { member in name.withUTF8Buffer { member.name.utf8.elementsEqual($0) } }?.value
    }
}
