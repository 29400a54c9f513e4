/// Room at the end of an array of octets, filled from left to right: for what is put together from many small pieces. Each
/// append to an array looks anew at whether there is room and nobody else holds it, which costs more than the piece.
///
/// Public, though no product offers it: see `Locking.Mutex`.
public struct OctetRoom {
    @usableFromInline let start: UnsafeMutablePointer<UInt8>
    @usableFromInline let capacity: Int
    @usableFromInline var count = 0

    /// What was written so far.
    @inlinable @inline(__always)
    public var octets: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

    @inlinable @inline(__always)
    public init(_ room: UnsafeMutableBufferPointer<UInt8>) {
        // An array that was asked for room has an address.
        start = room.baseAddress!
        capacity = room.count
    }

    @inlinable @inline(__always)
    public mutating func write(_ octet: UInt8) {
        precondition(count < capacity, "more was written than was asked for")
        start[count] = octet
        count += 1
    }

    @inlinable @inline(__always)
    public mutating func write(_ octets: UnsafeBufferPointer<UInt8>) {
        precondition(octets.count <= capacity - count, "more was written than was asked for")
        guard let source = octets.baseAddress else { return }
        (start + count).update(from: source, count: octets.count)
        count += octets.count
    }

    @inlinable @inline(__always)
    public mutating func write(_ text: StaticString) {
        write(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inlinable @inline(__always)
    public mutating func write(_ octets: [UInt8]) {
        octets.withUnsafeBufferPointer { write($0) }
    }

    /// The text in one piece where it has one, as every String that Swift made.
    @inlinable @inline(__always)
    public mutating func write(text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ write($0) }) == nil { for octet in text.utf8 { write(octet) } }
    }

    /// Sixteen hexadecimal digits.
    @inlinable @inline(__always)
    public mutating func write(hexadecimal number: UInt64) {
        precondition(16 <= capacity - count, "more was written than was asked for")
        let digits = UnsafeMutableRawPointer(start + count)
        digits.storeBytes(of: Self.hexadecimal(UInt32(truncatingIfNeeded: number >> 32)), as: UInt64.self)
        digits.storeBytes(
            of: Self.hexadecimal(UInt32(truncatingIfNeeded: number)), toByteOffset: 8, as: UInt64.self)
        count += 16
    }

    /// Eight digits at once: each half-octet comes to an octet of its own, the uppermost into the first one, and those above
    /// nine go on from `a`.
    @inlinable @inline(__always)
    static func hexadecimal(_ number: UInt32) -> UInt64 {
        var digits = UInt64(number)
        digits = (digits << 16 | digits) & 0x0000_ffff_0000_ffff
        digits = (digits << 8 | digits) & 0x00ff_00ff_00ff_00ff
        digits = (digits << 4 | digits) & 0x0f0f_0f0f_0f0f_0f0f
        let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return (digits + 0x3030_3030_3030_3030 + letters * 0x27).bigEndian
    }

    /// - Parameter digits: how many, with zeros in front; of a longer number the lowest.
    @inlinable @inline(__always)
    public mutating func write(_ number: UInt64, digits: Int) {
        precondition(digits <= capacity - count, "more was written than was asked for")
        var rest = number
        var place = count + digits
        while place > count {
            place -= 1
            start[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += digits
    }

    /// - Parameter number: below 100.
    @inlinable @inline(__always)
    public mutating func write(twoDigits number: UInt64) {
        precondition(2 <= capacity - count, "more was written than was asked for")
        let (tens, ones) = (UInt8(truncatingIfNeeded: number / 10), UInt8(truncatingIfNeeded: number % 10))
        start[count] = UInt8(ascii: "0") &+ tens
        start[count + 1] = UInt8(ascii: "0") &+ ones
        count += 2
    }

    /// - Parameter number: not negative. It has 19 digits at most.
    @inlinable @inline(__always)
    public mutating func write(_ number: Int) {
        var (digits, bound) = (1, 10)
        while digits < 19, number >= bound {
            digits += 1
            bound = digits < 19 ? bound &* 10 : Int.max
        }
        write(UInt64(number), digits: digits)
    }
}

extension [UInt8] {
    /// Appends what `write` writes, `most` octets at most.
    @inlinable @inline(__always)
    public mutating func append(atMost most: Int, _ write: (inout OctetRoom) -> Void) {
        append(addingCapacity: most) { span in
            span.withUnsafeMutableBufferPointer { buffer, count in
                var room = OctetRoom(UnsafeMutableBufferPointer(rebasing: buffer[count...]))
                write(&room)
                count += room.count
            }
        }
    }
}
