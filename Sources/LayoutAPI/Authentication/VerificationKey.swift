import COpenSSL

/// A key, and the one algorithm that it is for (RFC 8725 §3.1): a token has no say in how it is verified.
struct VerificationKey: Sendable {
    /// The octets of its `kid`; nil for the key of tokens that have none.
    let id: [UInt8]?
    let algorithm: SigningAlgorithm
    private let material: Material

    private enum Material: Sendable {
        case secret([UInt8])
        case publicKey(PublicKey)
    }

    private init(id: [UInt8]?, _ algorithm: SigningAlgorithm, _ material: Material) {
        self.id = id
        self.algorithm = algorithm
        self.material = material
    }

    /// - Throws: for fewer than 32 octets: a key as long as the hash is the least (RFC 7518 §3.2), and a shorter one
    ///   is found by trying (RFC 8725 §3.5).
    static func secret(_ octets: [UInt8], id: [UInt8]? = nil) throws(CredentialFault) -> VerificationKey {
        guard octets.count >= 32 else {
            throw CredentialFault("a secret for HS256 has at least 32 bytes, and this one has \(octets.count)")
        }
        return VerificationKey(id: id, .hs256, .secret(octets))
    }

    /// An RSA public key of 2,048 bits (RFC 7518 §3.3) to 8,192, above which a signature costs too much to be checked
    /// for strangers.
    static func rsa(modulus: [UInt8], exponent: [UInt8], id: [UInt8]?) throws(CredentialFault) -> VerificationKey {
        guard modulus.count <= 1_024, exponent.count <= 8 else {
            throw CredentialFault("an RSA key has at most 8192 bits, and an exponent of 64")
        }
        guard let handle = crypto_rsa_public_key(modulus, modulus.count, exponent, exponent.count) else {
            throw CredentialFault("it is no RSA key")
        }
        let key = PublicKey(handle)
        guard EVP_PKEY_get_bits(handle) >= 2_048 else {
            throw CredentialFault("an RSA key has at least 2048 bits, and this one has \(EVP_PKEY_get_bits(handle))")
        }
        guard key.isSound else { throw CredentialFault("its modulus or exponent is unsound") }
        return VerificationKey(id: id, .rs256, .publicKey(key))
    }

    /// - Throws: for a point off the curve (RFC 8725 §3.4), too.
    static func p256(x: [UInt8], y: [UInt8], id: [UInt8]?) throws(CredentialFault) -> VerificationKey {
        // RFC 7518 §6.2.1.2: the full size of a coordinate, leading zeros and all.
        guard x.count == 32, y.count == 32 else { throw CredentialFault("a coordinate on P-256 has 32 bytes") }
        guard let handle = crypto_p256_public_key([4] + x + y) else {
            throw CredentialFault("its point is not on P-256")
        }
        let key = PublicKey(handle)
        guard key.isSound else { throw CredentialFault("its point is not on P-256") }
        return VerificationKey(id: id, .es256, .publicKey(key))
    }

    static func ed25519(_ octets: [UInt8], id: [UInt8]?) throws(CredentialFault) -> VerificationKey {
        guard octets.count == 32, let handle = crypto_ed25519_public_key(octets) else {
            throw CredentialFault("an Ed25519 key has 32 bytes")
        }
        return VerificationKey(id: id, .edDSA, .publicKey(PublicKey(handle)))
    }

    /// Whether `signature` over `message` was made with this key.
    func verifies(_ signature: [UInt8], over message: ArraySlice<UInt8>) -> Bool {
        message.withUnsafeBufferPointer { message in
            switch (algorithm, material) {
            case (.hs256, .secret(let secret)):
                signature.count == 32 && CRYPTO_memcmp(HMAC.sha256(message, key: secret), signature, 32) == 0
            case (.rs256, .publicKey(let key)):
                crypto_verify(
                    key.handle, OpenSSL.sha256, signature, signature.count, message.baseAddress, message.count) == 1
            case (.es256, .publicKey(let key)):
                // RFC 7518 §3.4: both numbers in full, never the DER that other protocols use.
                signature.count == 64
                    && crypto_verify_p256(key.handle, OpenSSL.sha256, signature, message.baseAddress, message.count)
                        == 1
            case (.edDSA, .publicKey(let key)):
                crypto_verify(key.handle, nil, signature, signature.count, message.baseAddress, message.count) == 1
            case (.hs256, .publicKey), (_, .secret):
                false
            }
        }
    }
}

/// A public key that OpenSSL holds.
private final class PublicKey {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { EVP_PKEY_free(handle) }

    var isSound: Bool { crypto_public_key_is_sound(handle) == 1 }
}

// @unchecked: OpenSSL only reads a key to verify with it, and counts its references atomically.
extension PublicKey: @unchecked Sendable {}

enum HMAC {
    /// HMAC with SHA-256 (RFC 2104).
    static func sha256(_ message: UnsafeBufferPointer<UInt8>, key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { code, count in
            var length: UInt32 = 0
            let made = COpenSSL.HMAC(
                OpenSSL.sha256, key, Int32(key.count), message.baseAddress, message.count, code.baseAddress, &length)
            precondition(made != nil && length == 32, "OpenSSL has HMAC with SHA-256")
            count = 32
        }
    }
}
