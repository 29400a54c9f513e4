import CZlib

/// CRC-32 over all that a row says, its key included: a row that the disk changed is found, and so is one that turns up
/// under another user's key. SQLite's own `integrity_check` sees neither.
///
/// Each value is preceded by its length, so that nothing can move from one column to the next unseen.
package struct RowChecksum {
    private var crc: UInt

    /// - Parameter table: so that a row of one table is none of another's.
    package static func of<each Value: SQLValue>(_ table: StaticString, _ values: repeat each Value) -> Int64 {
        var checksum = RowChecksum()
        checksum.add(UnsafeRawBufferPointer(start: table.utf8Start, count: table.utf8CodeUnitCount))
        for value in repeat each values { value.add(to: &checksum) }
        return Int64(checksum.crc)
    }

    private init() { crc = crc32(0, nil, 0) }

    mutating func add(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { append($0) } }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(Int64(bytes.count))
        append(bytes)
    }

    mutating func addNull() { add(-1) }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        // zlib takes a null address for the wish to start again.
        guard let start = bytes.baseAddress else { return }
        crc = crc32(crc, start.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count))
    }
}
