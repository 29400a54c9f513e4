/// A hash of octets under a secret of the process: two words at a time, each laid over a part of the secret, in a product whose
/// halves are laid over each other (as wyhash does it). Whoever does not know the secret cannot choose ids that meet.
///
/// `String`'s own hash takes ten times as long for the dozen octets of an id, and ids are made by the dozen.
enum OctetHash {
    private static let secret: SIMD4<UInt64> = .random(in: 0 ... .max)

    static func of(_ octets: UnsafeBufferPointer<UInt8>) -> Int {
        let (secret, raw) = (secret, UnsafeRawBufferPointer(octets))
        var state = secret[0] ^ UInt64(raw.count)
        var index = 0
        while raw.count - index > 16 {
            state = fold(word(raw, index) ^ secret[1], word(raw, index + 8) ^ state)
            index += 16
        }
        let (first, last) = ends(UnsafeRawBufferPointer(rebasing: raw[index...]))
        state = fold(first ^ secret[1], last ^ state)
        return Int(truncatingIfNeeded: fold(state ^ secret[2], secret[3]))
    }

    /// All of at most sixteen octets in two words: those at the start and those at the end, some of them in both.
    private static func ends(_ octets: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        let count = octets.count
        switch count {
        case 0: return (0, 0)
        case 1..<4: return (UInt64(octets[0]) << 8 | UInt64(octets[count / 2]), UInt64(octets[count - 1]))
        case 4..<8: return (halfWord(octets, 0), halfWord(octets, count - 4))
        default: return (word(octets, 0), word(octets, count - 8))
        }
    }

    private static func word(_ octets: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
        octets.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    }

    private static func halfWord(_ octets: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
        UInt64(octets.loadUnaligned(fromByteOffset: index, as: UInt32.self))
    }

    private static func fold(_ one: UInt64, _ two: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: two)
        return product.high ^ product.low
    }
}
