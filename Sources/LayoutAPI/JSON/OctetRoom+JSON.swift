public import HTTP1
package import LayoutModel

extension OctetRoom {
    /// Public, though no product offers it: where the name is known, and only then, it is written in a few stores.
    @inlinable @inline(__always)
    public mutating func write(name: StaticString, isFirst: Bool) {
        if !isFirst { write(UInt8(ascii: ",")) }
        write(UInt8(ascii: "\""))
        write(name)
        write("\":")
    }

    /// In quotes, with what has to be escaped; nearly always that is nothing, and it goes in as a whole.
    @inline(__always)
    mutating func write(text: UnsafeBufferPointer<UInt8>, isPlain: Bool) {
        write(UInt8(ascii: "\""))
        if isPlain { write(text) } else { for octet in text { write(escaping: octet) } }
        write(UInt8(ascii: "\""))
    }

    private mutating func write(escaping octet: UInt8) {
        guard Self.isEscaped(octet) else { return write(octet) }
        write(UInt8(ascii: "\\"))
        guard octet < 0x20 else { return write(octet) }
        write("u00")
        write(octet < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
        let digit = octet & 0xF
        write(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }

    static func isEscaped(_ octet: UInt8) -> Bool {
        octet < 0x20 || octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\")
    }
}

extension OctetRoom {
    /// A text as a value.
    package mutating func write(quoted text: String) {
        text.utf8Span.span.withUnsafeBufferPointer { write(text: $0, isPlain: $0.isPlainInJSON) }
    }

    package mutating func write(quoted text: StaticString) {
        text.withUTF8Buffer { write(text: $0, isPlain: $0.isPlainInJSON) }
    }

    package mutating func write(quoted id: RequestID) {
        write(UInt8(ascii: "\""))
        id.write(to: &self)
        write(UInt8(ascii: "\""))
    }

    package mutating func write(quoted time: Timestamp) {
        write(UInt8(ascii: "\""))
        writeRFC3339(time)
        write(UInt8(ascii: "\""))
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether nothing in it has to be escaped. Eight octets at a time: a borrow sets the uppermost bit of each octet that is
    /// less than the one subtracted (Hacker's Delight §6–1).
    var isPlainInJSON: Bool {
        guard count >= 8 else { return allSatisfy { !OctetRoom.isEscaped($0) } }
        var index = 0
        while index < count - 8 {
            guard isPlainWord(at: index) else { return false }
            index += 8
        }
        // The last eight, some of which were looked at already.
        return isPlainWord(at: count - 8)
    }

    @inline(__always)
    private func isPlainWord(at index: Int) -> Bool {
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let word = UnsafeRawBufferPointer(self).loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let found =
            (word &- (ones &* 0x20)) & ~word | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        return found & tops == 0
    }
}
