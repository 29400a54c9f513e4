import COpenSSL

/// The SHA-256 digest of some octets.
package struct SHA256Digest: Hashable, Sendable {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// Hashes `octets`.
    package init(of octets: some Collection<UInt8>) {
        let isHashed: Void? = octets.withContiguousStorageIfAvailable { hash($0) }
        if isHashed == nil { Array(octets).withUnsafeBufferPointer { hash($0) } }
    }

    /// Reads 64 hexadecimal digits; nil for anything else.
    package init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.compactMap(\.hexadecimalValue)
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        withUnsafeMutableBytes(of: &words) { octets in
            for index in 0..<32 { octets[index] = digits[2 * index] << 4 | digits[2 * index + 1] }
        }
    }

    package var hexadecimal: String {
        withUnsafeBytes(of: words) { octets in
            octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    private mutating func hash(_ octets: UnsafeBufferPointer<UInt8>) {
        let isDone = withUnsafeMutableBytes(of: &words) {
            EVP_Digest(octets.baseAddress, octets.count, $0.baseAddress, nil, OpenSSL.sha256, nil)
        }
        precondition(isDone == 1, "OpenSSL has SHA-256")
    }

    /// Takes as long whatever the digests are, so that no caller can feel its way to a digest.
    func isEqualInConstantTime(to other: SHA256Digest) -> Bool {
        withUnsafeBytes(of: words) { left in
            withUnsafeBytes(of: other.words) { right in CRYPTO_memcmp(left.baseAddress, right.baseAddress, 32) == 0 }
        }
    }

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// What is asked of OpenSSL once: fetching an algorithm by its name takes a lock each time.
enum OpenSSL {
    // Constant once made, and never freed: safe to share.
    nonisolated(unsafe) static let sha256 = EVP_MD_fetch(nil, "SHA256", nil)
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
