import Foundation

@testable import LayoutAPI

/// What is read and written is read as the same again; and what is read at all, Foundation reads, too, which is less
/// strict.
enum JSONFuzz {
    static func run(_ octets: [UInt8]) {
        let value: JSONValue
        do throws(ContentFault) {
            value = try JSONReader.read(octets)
        } catch {
            check(error.code == .invalidJSON || error.code == .duplicateField, "a fault of another kind: \(error)")
            check(error.pointer.isEmpty || error.pointer.hasPrefix("/"), "a pointer that is none: \(error.pointer)")
            return
        }
        check(value.isHuge || foundationReads(octets), "what Foundation refuses is taken for \(value)")
        let once = written(value)
        guard let again = try? JSONReader.read(once) else { fatalError("what was written cannot be read: \(value)") }
        // Octets are compared, too: `String` takes two spellings of a letter for one.
        check(again == value, "another value: \(again), not \(value)")
        check(written(again) == once, "another text: \(again), not \(value)")
        if once.last.map([UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "\"")].contains) == true {
            check((try? JSONReader.read(once.dropLast())) == nil, "a document without its end is none")
        }
    }

    private static func foundationReads(_ octets: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(octets), options: .fragmentsAllowed)) != nil
    }

    private static func written(_ value: JSONValue) -> [UInt8] {
        var json = JSONWriter()
        json.write(value)
        return json.octets
    }
}

extension JSONReader {
    fileprivate static func read(_ octets: ArraySlice<UInt8>) throws(ContentFault) -> JSONValue {
        try read(Array(octets))
    }
}

extension JSONValue {
    /// Whether a number is in it that no `Double` holds: Foundation has no other place for it.
    fileprivate var isHuge: Bool {
        switch self {
        case .null, .bool, .integer, .string: false
        case .number(let text): Double(text)?.isFinite != true
        case .array(let elements): elements.contains(where: \.isHuge)
        case .object(let members): members.contains(where: \.value.isHuge)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let number): integer(number)
        case .number(let text): raw(text.utf8)
        case .string(let text): string(text)
        case .array(let elements): array(elements) { $0.write($1) }
        case .object(let members):
            object { json in
                for member in members {
                    json.name(member.name)
                    json.write(member.value)
                }
            }
        }
    }
}
