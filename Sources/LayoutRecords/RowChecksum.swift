import CZlib

/// CRC-32 over all that a row says, its key included: a row that the disk changed is found, and so is one that turns up
/// under another user's key. No database's own check sees either.
///
/// Each value is preceded by its length, so that nothing can move from one column to the next unseen.
package struct RowChecksum {
    private var crc = crc32(0, nil, 0)
    /// What was added and not yet summed up: a row has a dozen values, and most of them are short.
    private let waiting: UnsafeMutableRawBufferPointer
    private var count = 0

    private init(_ waiting: UnsafeMutableRawBufferPointer) { self.waiting = waiting }

    /// - Parameters:
    ///   - table: so that a row of one table is none of another's.
    ///   - add: adds what the row says.
    package static func of(_ table: StaticString, _ add: (inout RowChecksum) -> Void) -> Int64 {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { waiting in
            var sum = RowChecksum(waiting)
            sum.add(UnsafeRawBufferPointer(start: table.utf8Start, count: table.utf8CodeUnitCount))
            add(&sum)
            sum.sumUp()
            return Int64(sum.crc)
        }
    }

    package mutating func add(_ number: Int64) {
        if waiting.count - count < 8 { sumUp() }
        waiting.storeBytes(of: number.littleEndian, toByteOffset: count, as: Int64.self)
        count += 8
    }

    package mutating func add(_ number: Int) { add(Int64(number)) }

    package mutating func add(_ flag: Bool) { add(flag ? 1 as Int64 : 0) }

    package mutating func add(_ text: String) {
        // Every String that Swift made is in one piece.
        if text.utf8.withContiguousStorageIfAvailable({ add(UnsafeRawBufferPointer($0)) }) == nil {
            add(Array(text.utf8))
        }
    }

    package mutating func add(_ text: String?) {
        if let text { add(text) } else { add(-1 as Int64) }
    }

    package mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(Int64(bytes.count))
        append(bytes)
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if bytes.count > waiting.count - count { sumUp() }
        guard bytes.count <= waiting.count else { return sumUp(bytes) }
        UnsafeMutableRawBufferPointer(rebasing: waiting[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    private mutating func sumUp() {
        sumUp(UnsafeRawBufferPointer(rebasing: waiting[..<count]))
        count = 0
    }

    private mutating func sumUp(_ bytes: UnsafeRawBufferPointer) {
        // zlib takes a null address for the wish to start again.
        guard let start = bytes.baseAddress else { return }
        crc = crc32_z(crc, start.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
}
