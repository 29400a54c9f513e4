import COpenSSL

@testable import LayoutAPI

/// A private key made for a test, and what an issuer does with it.
///
/// @unchecked: OpenSSL only reads a key to sign with it.
final class IssuerKey: @unchecked Sendable {
    let algorithm: SigningAlgorithm
    private let handle: OpaquePointer

    static func rsa(bits: Int32 = 2_048) -> IssuerKey {
        IssuerKey(.rs256, generate("RSA") { EVP_PKEY_CTX_set_rsa_keygen_bits($0, bits) })
    }

    static func p256() -> IssuerKey { IssuerKey(.es256, generate("EC") { EVP_PKEY_CTX_set_group_name($0, "P-256") }) }
    static func ed25519() -> IssuerKey { IssuerKey(.edDSA, generate("ED25519") { _ in 1 }) }

    private init(_ algorithm: SigningAlgorithm, _ handle: OpaquePointer) {
        self.algorithm = algorithm
        self.handle = handle
    }

    deinit { EVP_PKEY_free(handle) }

    private static func generate(_ type: String, _ set: (OpaquePointer?) -> Int32) -> OpaquePointer {
        let context = EVP_PKEY_CTX_new_from_name(nil, type, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        precondition(EVP_PKEY_keygen_init(context) == 1 && set(context) == 1 && EVP_PKEY_generate(context, &key) == 1)
        return key!
    }

    /// The signature as OpenSSL gives it: DER for ECDSA.
    func rawSignature(over message: String) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        let digest = algorithm == .edDSA ? nil : EVP_sha256()
        let octets = Array(message.utf8)
        var count = 0
        precondition(EVP_DigestSignInit(context, nil, digest, nil, handle) == 1)
        precondition(EVP_DigestSign(context, nil, &count, octets, octets.count) == 1)
        var signature = [UInt8](repeating: 0, count: count)
        precondition(EVP_DigestSign(context, &signature, &count, octets, octets.count) == 1)
        return Array(signature.prefix(count))
    }

    /// The signature as JWS has it (RFC 7518 §3.4).
    func signature(over message: String) -> [UInt8] {
        let raw = rawSignature(over: message)
        guard algorithm == .es256 else { return raw }
        return raw.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            let pair = d2i_ECDSA_SIG(nil, &next, buffer.count)
            defer { ECDSA_SIG_free(pair) }
            return Self.octets(of: ECDSA_SIG_get0_r(pair), count: 32)
                + Self.octets(of: ECDSA_SIG_get0_s(pair), count: 32)
        }
    }

    private static func octets(of number: OpaquePointer?, count: Int) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        precondition(BN_bn2binpad(number, &octets, Int32(count)) == Int32(count))
        return octets
    }

    /// The public key as a JWK.
    func jwk(kid: String?, with more: [String] = []) -> String {
        var members = kid.map { ["\"kid\":\"\($0)\""] } ?? []
        switch algorithm {
        case .rs256:
            let (n, e) = (number("n"), number("e"))
            members += ["\"kty\":\"RSA\"", "\"n\":\"\(Base64URL.encode(n))\"", "\"e\":\"\(Base64URL.encode(e))\""]
        case .es256:
            let (x, y) = (number("qx", count: 32), number("qy", count: 32))
            members += ["\"kty\":\"EC\"", "\"crv\":\"P-256\""]
            members += ["\"x\":\"\(Base64URL.encode(x))\"", "\"y\":\"\(Base64URL.encode(y))\""]
        case .edDSA:
            var octets = [UInt8](repeating: 0, count: 32)
            var count = 32
            precondition(EVP_PKEY_get_raw_public_key(handle, &octets, &count) == 1)
            members += ["\"kty\":\"OKP\"", "\"crv\":\"Ed25519\"", "\"x\":\"\(Base64URL.encode(octets))\""]
        case .hs256: preconditionFailure("a secret is no public key")
        }
        return "{\((members + more).joined(separator: ","))}"
    }

    private func number(_ name: String, count: Int? = nil) -> [UInt8] {
        var number: OpaquePointer?
        precondition(EVP_PKEY_get_bn_param(handle, name, &number) == 1)
        defer { BN_free(number) }
        return Self.octets(of: number, count: count ?? Int((BN_num_bits(number) + 7) / 8))
    }

    /// The public key as PEM: what an attacker of a careless verifier uses for a secret.
    var publicPEM: [UInt8] {
        let memory = BIO_new(BIO_s_mem())
        defer { BIO_free(memory) }
        precondition(PEM_write_bio_PUBKEY(memory, handle) == 1)
        var octets = [UInt8](repeating: 0, count: 4_096)
        return Array(octets.prefix(Int(BIO_read(memory, &octets, 4_096))))
    }
}

enum Code {
    static func hs256(_ message: String, key: [UInt8]) -> [UInt8] { code(message, key, EVP_sha256()) }
    static func hs512(_ message: String, key: [UInt8]) -> [UInt8] { code(message, key, EVP_sha512()) }

    private static func code(_ message: String, _ key: [UInt8], _ digest: OpaquePointer?) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 64)
        var count: UInt32 = 0
        let octets = Array(message.utf8)
        precondition(COpenSSL.HMAC(digest, key, Int32(key.count), octets, octets.count, &code, &count) != nil)
        return Array(code.prefix(Int(count)))
    }
}
