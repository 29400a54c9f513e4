import CZlib

/// CRC-32 over all that a row says, its key included: a row that the disk changed is found, and so is one that turns up
/// under another user's key. No database's own check sees either.
///
/// Each value is preceded by its length, so that nothing can move from one column to the next unseen.
package struct RowChecksum {
    private var crc: UInt

    /// - Parameter table: so that a row of one table is none of another's.
    package init(_ table: StaticString) {
        crc = crc32(0, nil, 0)
        add(UnsafeRawBufferPointer(start: table.utf8Start, count: table.utf8CodeUnitCount))
    }

    package var value: Int64 { Int64(crc) }

    package mutating func add(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { append($0) } }

    package mutating func add(_ number: Int) { add(Int64(number)) }

    package mutating func add(_ flag: Bool) { add(flag ? 1 as Int64 : 0) }

    package mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
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
        // zlib takes a null address for the wish to start again.
        guard let start = bytes.baseAddress else { return }
        crc = crc32(crc, start.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count))
    }
}
