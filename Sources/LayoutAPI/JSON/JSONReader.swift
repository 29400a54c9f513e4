/// Reads one JSON document strictly (RFC 8259): UTF-8 only, no name twice in an object, no lone surrogates, a bounded
/// depth, nothing after the value. Foundation's decoder takes the last of two equal names and cannot say where it failed.
struct JSONReader {
    private let octets: [UInt8]
    private var index = 0
    private var document: JSONDocument
    private var depth = 0

    /// Deeper nesting has no meaning in any of our documents.
    private static let deepest = 16

    /// - Throws: `ContentFault` with the offset of the octet at which it failed.
    static func document(_ octets: [UInt8]) throws(ContentFault) -> JSONDocument {
        var reader = JSONReader(octets: octets)
        reader.skipSpace()
        try reader.value()
        reader.skipSpace()
        guard reader.index == octets.count else {
            throw reader.fault("Something stands behind the end of the document")
        }
        return reader.document
    }

    /// The same as one value, for whoever looks at all of it.
    static func read(_ octets: [UInt8]) throws(ContentFault) -> JSONValue {
        JSONValue(try document(octets), at: JSONDocument.root)
    }

    private init(octets: [UInt8]) {
        self.octets = octets
        document = JSONDocument(of: octets)
    }

    private func fault(_ what: String) -> ContentFault {
        ContentFault(code: .invalidJSON, pointer: "", detail: "\(what) (octet \(index)).")
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

    private mutating func value() throws(ContentFault) {
        switch next {
        case UInt8(ascii: "{"): try nested(.object) { (reader) throws(ContentFault) in try reader.members() }
        case UInt8(ascii: "["): try nested(.array) { (reader) throws(ContentFault) in try reader.elements() }
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try literal("true", .yes)
        case UInt8(ascii: "f"): try literal("false", .no)
        case UInt8(ascii: "n"): try literal("null", .null)
        case UInt8(ascii: "-"): try number()
        case let octet? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet): try number()
        case nil: throw fault("The document ends where a value is expected")
        default: throw fault("A value is expected")
        }
    }

    private mutating func nested(
        _ kind: JSONDocument.Kind, _ content: (inout JSONReader) throws(ContentFault) -> Void
    ) throws(ContentFault) {
        depth += 1
        guard depth <= Self.deepest else { throw fault("The document nests deeper than \(Self.deepest) levels") }
        index += 1
        let place = document.open(kind)
        try content(&self)
        document.close(place)
        depth -= 1
    }

    private mutating func members() throws(ContentFault) {
        skipSpace()
        if take(UInt8(ascii: "}")) { return }
        var names = MemberNames(from: document.end)
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw fault("A member's name in quotes is expected") }
            let name = document.end
            try string()
            guard names.add(name, of: document) else {
                throw ContentFault(
                    code: .duplicateField, pointer: document.pointer(to: name),
                    detail:
                        "'\(document.text(at: name).excerpt)' stands twice in one object; which one is meant cannot be known.")
            }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw fault("A colon is expected") }
            skipSpace()
            try value()
            skipSpace()
            if take(UInt8(ascii: "}")) { return }
            guard take(UInt8(ascii: ",")) else { throw fault("A comma or the end of the object is expected") }
        }
    }

    private mutating func elements() throws(ContentFault) {
        skipSpace()
        if take(UInt8(ascii: "]")) { return }
        while true {
            skipSpace()
            try value()
            skipSpace()
            if take(UInt8(ascii: "]")) { return }
            guard take(UInt8(ascii: ",")) else { throw fault("A comma or the end of the array is expected") }
        }
    }

    private mutating func literal(_ text: StaticString, _ kind: JSONDocument.Kind) throws(ContentFault) {
        let matches = text.withUTF8Buffer { octets[index...].starts(with: $0) }
        guard matches else { throw fault("A value is expected") }
        index += text.utf8CodeUnitCount
        document.add(kind)
    }

    private mutating func number() throws(ContentFault) {
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
        let fits = isInteger && Int(String(decoding: octets[start..<index], as: UTF8.self)) != nil
        document.add(fits ? .integer : .number, start..<index)
    }

    private mutating func digits() -> Int {
        let start = index
        while let octet = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) { index += 1 }
        return index - start
    }

    private mutating func string() throws(ContentFault) {
        index += 1
        let start = index
        var allBits: UInt8 = 0
        while let octet = next, octet != UInt8(ascii: "\""), octet != UInt8(ascii: "\\"), octet >= 0x20 {
            allBits |= octet
            index += 1
        }
        // ASCII needs no validation, and nearly every text is that.
        if next == UInt8(ascii: "\""), allBits < 0x80 {
            document.add(.text, start..<index)
            index += 1
        } else {
            document.add(try madeString(from: start))
        }
    }

    /// The slow way: with escapes, beyond ASCII, or with something that no string may hold.
    private mutating func madeString(from start: Int) throws(ContentFault) -> String {
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

/// The names of one object, of which none may stand twice. Few are compared one by one; many are not, or a large object would
/// cost the square of its size.
private struct MemberNames {
    private let first: Int
    private var count = 0
    private var known: Set<[UInt8]> = []

    init(from first: Int) { self.first = first }

    /// - Returns: whether it is another than those before it, octet by octet (RFC 8259 §8.3).
    mutating func add(_ name: Int, of document: JSONDocument) -> Bool {
        count += 1
        if count > Self.few {
            if known.isEmpty { forEach(before: name, of: document) { known.insert(document.octets(ofTextAt: $0)) } }
            return known.insert(document.octets(ofTextAt: name)).inserted
        }
        var isNew = true
        forEach(before: name, of: document) { if document.text(at: $0, isThatAt: name) { isNew = false } }
        return isNew
    }

    private static let few = 8

    private func forEach(before name: Int, of document: JSONDocument, _ body: (Int) -> Void) {
        var other = first
        while other < name {
            body(other)
            other = document.end(of: other + 1)
        }
    }
}
