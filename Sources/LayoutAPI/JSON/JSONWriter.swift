import HTTP1

/// Appends JSON to a buffer, token by token. The caller keeps to the grammar; commas it puts itself.
package struct JSONWriter {
    package private(set) var octets: [UInt8] = []

    package init(reserving capacity: Int = 512) { octets.reserveCapacity(capacity) }

    /// What follows stands in another line, on its own.
    package mutating func endLine() { octets.append(UInt8(ascii: "\n")) }

    /// What an object or an array holds is written in `content`.
    package mutating func object(_ content: (inout JSONWriter) throws -> Void) rethrows {
        beginObject()
        try content(&self)
        endObject()
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }

    package mutating func endObject() { octets.append(UInt8(ascii: "}")) }

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
        let isFirst = isAtStart
        octets.append(atMost: name.utf8CodeUnitCount + 4) { $0.write(name: name, isFirst: isFirst) }
    }

    package mutating func name(_ name: String) {
        string(name)
        octets.append(UInt8(ascii: ":"))
    }

    package mutating func string(_ text: String) {
        text.utf8Span.span.withUnsafeBufferPointer { string($0) }
    }

    package mutating func string(_ text: StaticString) { text.withUTF8Buffer { string($0) } }

    /// - Parameter text: UTF-8.
    package mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        let (isFirst, isPlain) = (isAtStart, text.isPlainInJSON)
        octets.append(atMost: (isPlain ? text.count : 6 * text.count) + 3) { room in
            if !isFirst { room.write(UInt8(ascii: ",")) }
            room.write(text: text, isPlain: isPlain)
        }
    }

    package mutating func integer(_ number: Int) {
        separate()
        if number < 0 { octets.append(contentsOf: "\(number)".utf8) } else { octets.appendDecimal(number) }
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

    /// The same, in room for `most` octets.
    mutating func raw(atMost most: Int, _ write: (inout OctetRoom) -> Void) {
        separate()
        octets.append(atMost: most, write)
    }

    private mutating func raw(_ text: StaticString) {
        separate()
        text.withUTF8Buffer { octets.append(contentsOf: $0) }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        octets.append(bracket)
    }

    private mutating func separate() {
        if !isAtStart { octets.append(UInt8(ascii: ",")) }
    }

    /// Whether no comma is due: something was opened, or named, or nothing stands here yet.
    private var isAtStart: Bool {
        switch octets.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): true
        default: false
        }
    }
}

extension JSONWriter {
    // A member in one line, and in one piece: most of what is written are these.
    package mutating func member(_ name: StaticString, _ text: String) {
        text.utf8Span.span.withUnsafeBufferPointer { member(name, $0) }
    }

    package mutating func member(_ name: StaticString, _ text: StaticString) {
        text.withUTF8Buffer { member(name, $0) }
    }

    private mutating func member(_ name: StaticString, _ text: UnsafeBufferPointer<UInt8>) {
        let (isFirst, isPlain) = (isAtStart, text.isPlainInJSON)
        octets.append(atMost: name.utf8CodeUnitCount + (isPlain ? text.count : 6 * text.count) + 6) { room in
            room.write(name: name, isFirst: isFirst)
            room.write(text: text, isPlain: isPlain)
        }
    }

    package mutating func member(_ name: StaticString, _ number: Int) {
        guard number >= 0 else {
            self.name(name)
            return integer(number)
        }
        let isFirst = isAtStart
        octets.append(atMost: name.utf8CodeUnitCount + 23) { room in
            room.write(name: name, isFirst: isFirst)
            room.write(number)
        }
    }

    package mutating func member(_ name: StaticString, _ number: Int64) { member(name, Int(number)) }

    package mutating func member(_ name: StaticString, _ value: Bool) {
        let isFirst = isAtStart
        octets.append(atMost: name.utf8CodeUnitCount + 9) { room in
            room.write(name: name, isFirst: isFirst)
            room.write(value ? "true" : "false")
        }
    }
}
