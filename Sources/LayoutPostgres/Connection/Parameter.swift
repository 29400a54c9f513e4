/// A value bound to a statement, in PostgreSQL's binary form: nothing is quoted, so nothing can be quoted wrongly.
package struct Parameter: Sendable {
    /// The type's number in `pg_type`, the same in every PostgreSQL.
    let type: UInt32
    /// Nil for NULL.
    let octets: [UInt8]?

    private enum TypeNumber {
        static let boolean: UInt32 = 16
        static let bytes: UInt32 = 17
        static let integer: UInt32 = 20
        static let text: UInt32 = 25
        static let booleans: UInt32 = 1_000
        static let byteStrings: UInt32 = 1_001
        static let texts: UInt32 = 1_009
        static let integers: UInt32 = 1_016
    }

    package static func text(_ text: String?) -> Parameter {
        Parameter(type: TypeNumber.text, octets: text.map { Array($0.utf8) })
    }
    package static func integer(_ number: Int64?) -> Parameter {
        Parameter(type: TypeNumber.integer, octets: number.map { withUnsafeBytes(of: $0.bigEndian) { Array($0) } })
    }
    package static func boolean(_ flag: Bool) -> Parameter {
        Parameter(type: TypeNumber.boolean, octets: [flag ? 1 : 0])
    }
    package static func bytes(_ bytes: [UInt8]) -> Parameter { Parameter(type: TypeNumber.bytes, octets: bytes) }

    package static func texts(_ texts: some Collection<String?>) -> Parameter {
        array(TypeNumber.texts, of: TypeNumber.text, texts, hasNulls: texts.contains(nil)) {
            $0.append(sized: $1?.utf8)
        }
    }
    package static func integers(_ numbers: some Collection<Int64>) -> Parameter {
        array(TypeNumber.integers, of: TypeNumber.integer, numbers) { octets, number in
            withUnsafeBytes(of: number.bigEndian) { octets.append(sized: $0) }
        }
    }
    package static func booleans(_ flags: some Collection<Bool>) -> Parameter {
        array(TypeNumber.booleans, of: TypeNumber.boolean, flags) {
            $0.append(sized: CollectionOfOne($1 ? 1 : 0))
        }
    }
    package static func byteStrings(_ strings: some Collection<[UInt8]>) -> Parameter {
        array(TypeNumber.byteStrings, of: TypeNumber.bytes, strings) { $0.append(sized: $1) }
    }

    /// A column of a statement's own rows: of one row its value, of several, or none, the list of theirs.
    static func column(_ texts: [String?]) -> Parameter { texts.count == 1 ? .text(texts[0]) : .texts(texts) }
    static func column(_ numbers: [Int64]) -> Parameter {
        numbers.count == 1 ? .integer(numbers[0]) : .integers(numbers)
    }
    static func column(_ flags: [Bool]) -> Parameter { flags.count == 1 ? .boolean(flags[0]) : .booleans(flags) }
    static func column(_ strings: [[UInt8]]) -> Parameter {
        strings.count == 1 ? .bytes(strings[0]) : .byteStrings(strings)
    }

    /// The form that `array_recv` reads: dimensions, whether there are NULLs, the elements' type; then for each dimension its
    /// length and first index; then each element, its length before it.
    private static func array<Element>(
        _ type: UInt32, of elementType: UInt32, _ elements: some Collection<Element>, hasNulls: Bool = false,
        _ append: (inout [UInt8], Element) -> Void
    ) -> Parameter {
        var octets: [UInt8] = []
        octets.reserveCapacity(20 + 16 * elements.count)
        octets.append(Int32(elements.isEmpty ? 0 : 1))
        octets.append(Int32(hasNulls ? 1 : 0))
        octets.append(Int32(bitPattern: elementType))
        if !elements.isEmpty {
            octets.append(Int32(elements.count))
            octets.append(Int32(1))
        }
        for element in elements { append(&octets, element) }
        return Parameter(type: type, octets: octets)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: Int32) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// An element with its length before it; nil for NULL.
    fileprivate mutating func append(sized element: (some Collection<UInt8>)?) {
        append(Int32(element?.count ?? -1))
        if let element { append(contentsOf: element) }
    }
}
