// Comparing and copying octets without making a String of them.

extension ArraySlice<UInt8> {
    package static func == (octets: Self, text: StaticString) -> Bool {
        octets.count == text.utf8CodeUnitCount && text.withUTF8Buffer { octets.elementsEqual($0) }
    }

    /// Equal but for the case of ASCII letters: how field names and most tokens compare (RFC 9110 §5.1).
    package func equalsIgnoringCase(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount
            && text.withUTF8Buffer { elementsEqual($0) { $0.lowercased == $1.lowercased } }
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

    mutating func appendDecimal(_ number: Int) {
        if number >= 10 { appendDecimal(number / 10) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    mutating func appendHexadecimal(_ number: Int) {
        if number >= 16 { appendHexadecimal(number / 16) }
        let digit = UInt8(number % 16)
        append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
}
