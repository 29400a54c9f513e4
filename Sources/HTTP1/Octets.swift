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

    /// Whether both hold the same octets but for the case of ASCII letters.
    fileprivate func hasSameLetters(as other: Self) -> Bool {
        guard count == other.count else { return false }
        let (left, right) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var index = 0
        while count - index >= 8 {
            let (one, two) = (
                left.loadUnaligned(fromByteOffset: index, as: UInt64.self),
                right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            )
            // Most are written the usual way.
            guard one == two || one.lowercasedOctets == two.lowercasedOctets else { return false }
            index += 8
        }
        while index < count {
            guard self[index] == other[index] || self[index].lowercased == other[index].lowercased else { return false }
            index += 1
        }
        return true
    }
}

extension UInt64 {
    /// Each of the eight octets as `UInt8.lowercased` has it. Adding to seven bits sets the eighth where an octet is as large
    /// as the letter (Hacker's Delight §2–12): 0x3f for A, 0x25 for what follows Z.
    fileprivate var lowercasedOctets: UInt64 {
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let sevenBits = self & ~tops
        let isUpper = (sevenBits &+ ones &* 0x3f) & ~(sevenBits &+ ones &* 0x25) & ~self & tops
        return self | isUpper >> 2
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
            && withUnsafeBufferPointer { octets in text.withUTF8Buffer { octets.hasSameLetters(as: $0) } }
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
    /// The eight octets from `start` on, which have to be there; the first one lowest.
    @inline(__always)
    func word(at start: Int) -> UInt64 {
        UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self))
    }

    /// The octets from `start` on, eight at most, the first one lowest; zeros above them.
    package func word(at start: Int, count length: Int) -> UInt64 {
        precondition(start >= 0 && length >= 0 && length <= 8 && length <= count - start)
        // In one look where eight are there, from it on or up to its end.
        if length == 8 { return word(at: start) }
        if count - start >= 8 { return word(at: start) & ((1 &<< UInt64(8 &* length)) &- 1) }
        let end = start + length
        if length > 0, end >= 8 { return word(at: end - 8) &>> UInt64(64 &- 8 &* length) }
        return (start..<end).reversed().reduce(0) { $0 << 8 | UInt64(self[$1]) }
    }

    /// Where the first octet outside `set` stands; `end` where there is none.
    @inline(__always)
    func firstIndex(notIn set: OctetSet, from start: Int, to end: Int) -> Int {
        precondition(start >= 0 && end <= count)
        var index = start
        while index < end, set.contains(self[unchecked: index]) { index += 1 }
        return index
    }

    /// Where the first octet stands that no field value holds (RFC 9110 §5.5); `end` where there is none.
    func firstControl(from start: Int, to end: Int) -> Int {
        precondition(start >= 0 && end <= count)
        var index = start
        // A bearer token is a few hundred octets, and nothing in it is rare.
        while end - index >= 32, unlikely(at: index, words: 4) == 0 { index += 32 }
        while end - index >= 8 {
            let found = unlikely(at: index, words: 1)
            if found == 0 {
                index += 8
            } else {
                // A tab, or what is beyond ASCII: allowed.
                index += found.trailingZeroBitCount / 8
                guard self[unchecked: index].isFieldContent else { return index }
                index += 1
            }
        }
        while index < end, self[unchecked: index].isFieldContent { index += 1 }
        return index
    }

    /// The uppermost bit of the first octet that is a control or beyond ASCII, of those from `start` on; perhaps of some behind
    /// it. Of several words one says of which column it is.
    ///
    /// Of each octet less than a space that bit is set by a borrow (Hacker's Delight §6–1), of DEL by a carry, and of what is
    /// beyond ASCII it stands there.
    @inline(__always)
    private func unlikely(at start: Int, words: Int) -> UInt64 {
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        var found: UInt64 = 0
        for offset in 0..<words {
            let word = word(at: start + 8 * offset)
            found |= (word &- (ones &* 0x20)) | (word &+ ones) | word
        }
        return found & tops
    }

    /// Where `octet` stands first; `end` where it doesn't.
    package func firstIndex(of octet: UInt8, from start: Int, to end: Int) -> Int {
        precondition(start >= 0 && end <= count)
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        var index = start
        // Where the octet stands a difference is zero, and a borrow sets its uppermost bit (Hacker's Delight §6–1).
        while end - index >= 8 {
            let difference = word(at: index) ^ (ones &* UInt64(octet))
            let found = (difference &- ones) & ~difference & tops
            if found != 0 { return index + found.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < end, self[unchecked: index] != octet { index += 1 }
        return index
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
