// Comparing and copying octets without making a String of them.

extension UnsafeBufferPointer<UInt8> {
    /// Whether both hold the same octets. Eight at a time, where `elementsEqual` takes twenty instructions for each.
    package func hasSameOctets(as other: Self) -> Bool {
        guard count == other.count else { return false }
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var index = 0
        while count - index >= 8 {
            guard
                left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    == right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            else { return false }
            index += 8
        }
        while index < count {
            guard self[index] == other[index] else { return false }
            index += 1
        }
        return true
    }
}

extension ArraySlice<UInt8> {
    package static func == (octets: Self, text: StaticString) -> Bool {
        octets.count == text.utf8CodeUnitCount
            && octets.withUnsafeBufferPointer { octets in text.withUTF8Buffer { octets.hasSameOctets(as: $0) } }
    }

    package func hasSameOctets(as other: [UInt8]) -> Bool {
        withUnsafeBufferPointer { octets in other.withUnsafeBufferPointer { octets.hasSameOctets(as: $0) } }
    }

    /// Whether these are the octets of `text`.
    package func hasSameOctets(as text: String) -> Bool {
        guard count == text.utf8.count else { return false }
        // Every String that Swift made is in one piece.
        return text.utf8.withContiguousStorageIfAvailable { text in
            withUnsafeBufferPointer { $0.hasSameOctets(as: text) }
        } ?? elementsEqual(text.utf8)
    }

    /// Equal but for the case of ASCII letters: how field names and most tokens compare (RFC 9110 §5.1).
    package func equalsIgnoringCase(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount
            // Most are written the usual way.
            && (self == text || text.withUTF8Buffer { elementsEqual($0) { $0.lowercased == $1.lowercased } })
    }

    /// Without the white space around it.
    package var trimmed: Self {
        guard let first = firstIndex(where: { !$0.isBlank }), let last = lastIndex(where: { !$0.isBlank }) else {
            return self[startIndex..<startIndex]
        }
        return self[first...last]
    }
}

extension Span<UInt8> {
    /// The eight octets from `start` on, the first one lowest.
    @inline(__always)
    func word(at start: Int) -> UInt64 {
        UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self))
    }

    /// Whether none of the eight octets from `start` on is a control; TAB counts as one here.
    ///
    /// A borrow sets the uppermost bit of each octet that is less than the one subtracted: less than a space, or zero after
    /// the exclusive or with DEL (Hacker's Delight §6–1). It may run into the next octet, but only out of a control.
    @inline(__always)
    func isPlain(at start: Int) -> Bool {
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let word = word(at: start)
        let deletes = word ^ (ones &* 0x7f)
        return ((word &- (ones &* 0x20)) & ~word | (deletes &- ones) & ~deletes) & tops == 0
    }

    /// `range` without the white space at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var first = range.lowerBound
        var last = range.upperBound
        while first < last, self[first].isBlank { first += 1 }
        while last > first, self[last - 1].isBlank { last -= 1 }
        return first..<last
    }
}

extension [UInt8] {
    @inline(__always)
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    @inline(__always)
    mutating func append(_ octets: Span<UInt8>) {
        octets.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    /// - Parameter number: not negative.
    package mutating func appendDecimal(_ number: Int) { append(atMost: 19) { $0.write(number) } }

    mutating func appendHexadecimal(_ number: Int) {
        if number >= 16 { appendHexadecimal(number / 16) }
        let digit = UInt8(number % 16)
        append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
}
