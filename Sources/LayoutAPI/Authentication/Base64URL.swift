/// Base64 for URLs (RFC 4648 §5) as JOSE has it (RFC 7515 §2): no padding, no line breaks, and one text for each
/// octets.
enum Base64URL {
    /// - Returns: nil for any text but the one that `encode` gives. Set bits behind the last octet would make several
    ///   tokens of one (RFC 4648 §3.5).
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(text.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits = 0
        for character in text {
            guard let value = value(of: character) else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                octets.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        return buffer & (1 << UInt32(bits) - 1) == 0 ? octets : nil
    }

    static func encode(_ octets: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((octets.count * 4 + 2) / 3)
        var buffer: UInt32 = 0
        var bits = 0
        for octet in octets {
            buffer = buffer << 8 | UInt32(octet)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(character(for: UInt8(buffer >> UInt32(bits) & 63)))
            }
        }
        if bits > 0 { text.append(character(for: UInt8(buffer << UInt32(6 - bits) & 63))) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    private static func character(for value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: value + UInt8(ascii: "A")
        case 26..<52: value - 26 + UInt8(ascii: "a")
        case 52..<62: value - 52 + UInt8(ascii: "0")
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }
}
