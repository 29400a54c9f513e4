/// Reads one JSON document strictly (RFC 8259): UTF-8 only, no name twice in an object, no lone surrogates, a bounded
/// depth, nothing after the value. Foundation's decoder takes the last of two equal names and cannot say where it failed.
struct JSONReader {
    private let octets: [UInt8]
    private var index = 0
    /// Where the value stands that is being read: put into words only for a fault.
    private var path: [Step] = []
    private var depth = 0

    private enum Step {
        case member(String)
        case element(Int)
    }

    /// Deeper nesting has no meaning in any of our documents.
    private static let deepest = 16

    /// - Throws: `ContentFault` with the offset of the octet at which it failed.
    static func read(_ octets: [UInt8]) throws(ContentFault) -> JSONValue {
        var reader = JSONReader(octets: octets)
        reader.skipSpace()
        let value = try reader.value()
        reader.skipSpace()
        guard reader.index == octets.count else {
            throw reader.fault("Something stands behind the end of the document")
        }
        return value
    }

    private init(octets: [UInt8]) { self.octets = octets }

    private func fault(_ what: String) -> ContentFault {
        ContentFault(code: .invalidJSON, pointer: "", detail: "\(what) (octet \(index)).")
    }

    private var place: String {
        path.reduce("") { place, step in
            switch step {
            case .member(let name): pointer(place, name)
            case .element(let index): "\(place)/\(index)"
            }
        }
    }

    private var next: UInt8? { index < octets.count ? octets[index] : nil }

    private mutating func skipSpace() {
        while let octet = next, octet == 0x20 || octet == 0x09 || octet == 0x0A || octet == 0x0D { index += 1 }
    }

    private mutating func take(_ octet: UInt8) -> Bool {
        guard next == octet else { return false }
        index += 1
        return true
    }

    private mutating func value() throws(ContentFault) -> JSONValue {
        switch next {
        case UInt8(ascii: "{"): return try nested { (reader) throws(ContentFault) in try reader.object() }
        case UInt8(ascii: "["): return try nested { (reader) throws(ContentFault) in try reader.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"): return try number()
        case let octet? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet): return try number()
        case nil: throw fault("The document ends where a value is expected")
        default: throw fault("A value is expected")
        }
    }

    private mutating func nested(
        _ read: (inout JSONReader) throws(ContentFault) -> JSONValue
    ) throws(ContentFault) -> JSONValue {
        depth += 1
        guard depth <= Self.deepest else { throw fault("The document nests deeper than \(Self.deepest) levels") }
        index += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(ContentFault) -> JSONValue {
        var members: [JSONValue.Member] = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        members.reserveCapacity(4)
        // By bytes (RFC 8259 §8.3), where `String` takes two spellings of é for one. Few members are compared one by one;
        // many are not, or a large object would cost the square of its size.
        var names: Set<[UInt8]> = []
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw fault("A member's name in quotes is expected") }
            let name = try string()
            if members.count == 8 { names = Set(members.map { Array($0.name.utf8) }) }
            let isNew =
                members.count < 8
                ? !members.contains { $0.name.utf8.elementsEqual(name.utf8) } : names.insert(Array(name.utf8)).inserted
            guard isNew else {
                throw ContentFault(
                    code: .duplicateField, pointer: pointer(place, name),
                    detail: "'\(name.excerpt)' stands twice in one object; which one is meant cannot be known.")
            }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw fault("A colon is expected") }
            skipSpace()
            path.append(.member(name))
            members.append(.init(name: name, value: try value()))
            path.removeLast()
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw fault("A comma or the end of the object is expected") }
        }
    }

    private mutating func array() throws(ContentFault) -> JSONValue {
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            skipSpace()
            path.append(.element(elements.count))
            elements.append(try value())
            path.removeLast()
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { throw fault("A comma or the end of the array is expected") }
        }
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(ContentFault) -> JSONValue {
        let matches = text.withUTF8Buffer { octets[index...].starts(with: $0) }
        guard matches else { throw fault("A value is expected") }
        index += text.utf8CodeUnitCount
        return value
    }

    private mutating func number() throws(ContentFault) -> JSONValue {
        let start = index
        _ = take(UInt8(ascii: "-"))
        let whole = digits()
        guard whole > 0, whole == 1 || octets[index - whole] != UInt8(ascii: "0") else {
            throw fault("A number has digits, and no zero before them")
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard digits() > 0 else { throw fault("Digits are expected behind the point") }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            isInteger = false
            index += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
            guard digits() > 0 else { throw fault("Digits are expected in the exponent") }
        }
        let text = String(decoding: octets[start..<index], as: UTF8.self)
        if isInteger, let integer = Int(text) { return .integer(integer) }
        return .number(text)
    }

    private mutating func digits() -> Int {
        let start = index
        while let octet = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) { index += 1 }
        return index - start
    }

    private mutating func string() throws(ContentFault) -> String {
        index += 1
        let start = index
        var allBits: UInt8 = 0
        while let octet = next, octet != UInt8(ascii: "\""), octet != UInt8(ascii: "\\"), octet >= 0x20 {
            allBits |= octet
            index += 1
        }
        if next == UInt8(ascii: "\"") {
            let octets = octets[start..<index]
            // ASCII needs no validation, and nearly every text is that.
            let text =
                allBits < 0x80 ? String(decoding: octets, as: UTF8.self) : String(validating: octets, as: UTF8.self)
            guard let text else { throw fault("The text is not UTF-8") }
            index += 1
            return text
        }
        return try escapedString(from: start)
    }

    /// The slow way: with escapes, or with something that no string may hold.
    private mutating func escapedString(from start: Int) throws(ContentFault) -> String {
        var text = Array(octets[start..<index])
        while let octet = next {
            index += 1
            switch octet {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw fault("The text is not UTF-8") }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: try escape())
            case 0..<0x20: throw fault("A control character in a string has to be escaped")
            default: text.append(octet)
            }
        }
        throw fault("The document ends inside a string")
    }

    private mutating func escape() throws(ContentFault) -> [UInt8] {
        guard let octet = next else { throw fault("The document ends inside a string") }
        index += 1
        switch octet {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [octet]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(Character(try unicodeEscape())).utf8)
        default: throw fault("No such escape")
        }
    }

    private mutating func unicodeEscape() throws(ContentFault) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(UInt16(first)), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw fault("Half of a surrogate pair is no character")
        }
        let second = UInt16(try codeUnit())
        guard UTF16.isTrailSurrogate(second) else { throw fault("Half of a surrogate pair is no character") }
        return UTF16.decode(UTF16.EncodedScalar([UInt16(first), second]))
    }

    private mutating func codeUnit() throws(ContentFault) -> UInt32 {
        guard index + 4 <= octets.count,
            let text = String(validating: octets[index..<index + 4], as: UTF8.self),
            text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let value = UInt32(text, radix: 16)
        else { throw fault("Four hexadecimal digits are expected") }
        index += 4
        return value
    }
}
