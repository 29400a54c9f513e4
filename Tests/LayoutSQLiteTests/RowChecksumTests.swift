import LayoutRecords
import Testing

/// Checksums of rows stand in databases that other versions wrote: what they are over can never change.
@Suite struct RowChecksumTests {
    /// Around every length at which what waits is summed up, and where a value alone is longer than that.
    @Test func aRowIsSummedUpAsOneRowOfOctets() {
        for length in [0, 1, 7, 8, 9] + Array(430...530) + [1_000, 5_000] {
            let text = String(repeating: "é", count: length / 2) + String(repeating: "x", count: length % 2)
            let sum = RowChecksum.of("table") { sum in
                sum.add(text)
                sum.add(-7)
                sum.add(true)
                sum.add(nil as String?)
                sum.add([1, 2, 255])
                sum.add("")
            }
            let octets =
                framed(Array("table".utf8)) + framed(Array(text.utf8)) + number(-7) + number(1) + number(-1)
                + framed([1, 2, 255]) + framed([])
            #expect(sum == crc32(of: octets), "a text of \(length) octets")
        }
    }

    private func framed(_ octets: [UInt8]) -> [UInt8] { number(octets.count) + octets }

    private func number(_ number: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    /// Bit by bit, as RFC 1952 §8 defines it.
    private func crc32(of octets: [UInt8]) -> Int64 {
        var crc: UInt32 = 0xffff_ffff
        for octet in octets {
            crc ^= UInt32(octet)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xedb8_8320 }
        }
        return Int64(~crc)
    }
}
