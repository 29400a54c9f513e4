import Testing

@testable import LayoutModel

@Suite struct OctetHashTests {
    private static func hash(_ octets: [UInt8]) -> Int { octets.withUnsafeBufferPointer(OctetHash.of) }

    /// At every length, also where words overlap: that every octet and the length itself count.
    @Test func whatDiffersInOneOctetOrInLengthHasAnotherHash() {
        for count in 0...70 {
            let octets = (0..<count).map { UInt8(truncatingIfNeeded: 41 &* $0) }
            #expect(Self.hash(octets) == Self.hash(Array(octets)))
            #expect(Self.hash(octets + [0]) != Self.hash(octets))
            for place in octets.indices {
                var other = octets
                other[place] ^= 1
                #expect(Self.hash(other) != Self.hash(octets), "\(place) of \(count)")
            }
        }
    }

    /// A table looks at the lowest bits, the cache at others: both have to spread ids that differ in a digit.
    @Test func idsOfOneKindAreSpread() {
        let hashes = (0..<4_096).map { Self.hash(Array("function-\($0)".utf8)) }
        for shift in [0, 8, 32, 52] {
            var hits = [Int](repeating: 0, count: 256)
            for hash in hashes { hits[hash >> shift & 255] += 1 }
            // Sixteen each; that one has none, or four times as many, comes once in a million million runs.
            #expect(hits.max()! < 64)
            #expect(hits.count { $0 == 0 } < 8)
        }
    }
}
