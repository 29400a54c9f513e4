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
        Parameter(type: TypeNumber.integer, octets: number.map(\.octets))
    }
    package static func bytes(_ bytes: [UInt8]) -> Parameter { Parameter(type: TypeNumber.bytes, octets: bytes) }

    package static func texts(_ texts: some Collection<String?>) -> Parameter {
        array(TypeNumber.texts, of: TypeNumber.text, texts.map { $0.map { Array($0.utf8) } })
    }
    package static func integers(_ numbers: some Collection<Int64>) -> Parameter {
        array(TypeNumber.integers, of: TypeNumber.integer, numbers.map(\.octets))
    }
    package static func booleans(_ flags: some Collection<Bool>) -> Parameter {
        array(TypeNumber.booleans, of: TypeNumber.boolean, flags.map { [$0 ? 1 : 0] })
    }
    package static func byteStrings(_ strings: some Collection<[UInt8]>) -> Parameter {
        array(TypeNumber.byteStrings, of: TypeNumber.bytes, Array(strings))
    }

    /// The form that `array_recv` reads: dimensions, whether there are NULLs, the elements' type; then for each dimension its
    /// length and first index; then each element, its length before it.
    private static func array(_ type: UInt32, of element: UInt32, _ elements: [[UInt8]?]) -> Parameter {
        var octets: [UInt8] = []
        octets.reserveCapacity(elements.reduce(20) { $0 + 4 + ($1?.count ?? 0) })
        octets += Int32(elements.isEmpty ? 0 : 1).octets
        octets += Int32(elements.contains { $0 == nil } ? 1 : 0).octets
        octets += element.octets
        if !elements.isEmpty { octets += Int32(elements.count).octets + Int32(1).octets }
        for element in elements {
            octets += Int32(element?.count ?? -1).octets
            if let element { octets += element }
        }
        return Parameter(type: type, octets: octets)
    }
}

extension FixedWidthInteger {
    fileprivate var octets: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
