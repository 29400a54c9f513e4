/// Appends JSON to a buffer, token by token. The caller keeps to the grammar; commas it puts itself.
package struct JSONWriter {
    package private(set) var octets: [UInt8] = []

    package init(reserving capacity: Int = 512) { octets.reserveCapacity(capacity) }

    /// What an object or an array holds is written in `content`.
    package mutating func object(_ content: (inout JSONWriter) throws -> Void) rethrows {
        open(UInt8(ascii: "{"))
        try content(&self)
        octets.append(UInt8(ascii: "}"))
    }

    package mutating func array(_ content: (inout JSONWriter) throws -> Void) rethrows {
        open(UInt8(ascii: "["))
        try content(&self)
        octets.append(UInt8(ascii: "]"))
    }

    package mutating func array<Elements: Sequence>(
        _ elements: Elements, _ write: (inout JSONWriter, Elements.Element) throws -> Void
    ) rethrows {
        try array { for element in elements { try write(&$0, element) } }
    }

    package mutating func name(_ name: StaticString) {
        separate()
        octets.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { octets.append(contentsOf: $0) }
        octets.append(UInt8(ascii: "\""))
        octets.append(UInt8(ascii: ":"))
    }

    package mutating func name(_ name: String) {
        string(name)
        octets.append(UInt8(ascii: ":"))
    }

    package mutating func string(_ text: String) {
        separate()
        octets.append(UInt8(ascii: "\""))
        for octet in text.utf8 { append(octet) }
        octets.append(UInt8(ascii: "\""))
    }

    package mutating func integer(_ number: some BinaryInteger) {
        separate()
        octets.append(contentsOf: String(number).utf8)
    }

    /// To four places behind the point.
    package mutating func decimal(_ number: Double) { raw("\((number * 10_000).rounded() / 10_000)".utf8) }

    package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    package mutating func null() { raw("null") }

    /// A value that is JSON already.
    package mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        octets.append(contentsOf: json)
    }

    private mutating func raw(_ text: StaticString) {
        separate()
        text.withUTF8Buffer { octets.append(contentsOf: $0) }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        octets.append(bracket)
    }

    /// A comma, unless something was opened, or named, or nothing stands here yet.
    private mutating func separate() {
        switch octets.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
        default: octets.append(UInt8(ascii: ","))
        }
    }

    private mutating func append(_ octet: UInt8) {
        switch octet {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            octets.append(UInt8(ascii: "\\"))
            octets.append(octet)
        case 0..<0x20:
            let digits = StaticString("0123456789abcdef")
            octets.append(contentsOf: "\\u00".utf8)
            digits.withUTF8Buffer {
                octets.append($0[Int(octet >> 4)])
                octets.append($0[Int(octet & 15)])
            }
        default: octets.append(octet)
        }
    }
}

extension JSONWriter {
    // A member in one line.
    package mutating func member(_ name: StaticString, _ text: String) {
        self.name(name)
        string(text)
    }

    package mutating func member(_ name: StaticString, _ number: some BinaryInteger) {
        self.name(name)
        integer(number)
    }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        bool(value)
    }
}
