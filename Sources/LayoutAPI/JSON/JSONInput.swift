/// A value of a request's content together with its place in it: what is wrong can always be said with a pointer.
struct JSONInput {
    let value: JSONValue
    private let place: Place

    init(_ value: JSONValue) { self.init(value, at: .document) }

    private init(_ value: JSONValue, at place: Place) {
        self.value = value
        self.place = place
    }

    /// RFC 6901.
    var pointer: String { place.pointer }

    /// Put into words only where something is wrong there.
    fileprivate indirect enum Place {
        case document
        case member(of: Place, String)
        case element(of: Place, Int)

        var pointer: String {
            switch self {
            case .document: ""
            case .member(let parent, let name): LayoutAPI.pointer(parent.pointer, name)
            case .element(let parent, let index): "\(parent.pointer)/\(index)"
            }
        }
    }

    func fault(_ code: Problem.Code = .invalidValue, _ detail: String) -> ContentFault {
        ContentFault(code: code, pointer: pointer, detail: detail)
    }

    private func mismatch(_ expected: String) -> ContentFault {
        fault(.invalidValue, "Expected \(expected), not \(value.kind).")
    }

    func string() throws(ContentFault) -> String {
        guard case .string(let text) = value else { throw mismatch("a string") }
        return text
    }

    func bool() throws(ContentFault) -> Bool {
        guard case .bool(let bool) = value else { throw mismatch("a boolean") }
        return bool
    }

    func integer() throws(ContentFault) -> Int {
        guard case .integer(let integer) = value else { throw mismatch("a whole number") }
        return integer
    }

    func array<Element>(
        of element: (JSONInput) throws(ContentFault) -> Element
    ) throws(ContentFault) -> [Element] {
        guard case .array(let values) = value else { throw mismatch("an array") }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            elements.append(try element(JSONInput(value, at: .element(of: place, index))))
        }
        return elements
    }

    /// The members of an object of which every name is known to its reader.
    func object() throws(ContentFault) -> Members {
        guard case .object(let members) = value else { throw mismatch("an object") }
        return Members(place: place, members: members)
    }

    /// Whether this is an object with such a member, whatever its value is.
    func has(_ name: String) -> Bool {
        guard case .object(let members) = value else { return false }
        return members.contains { $0.name == name }
    }

    /// All members of an object whose names are data: languages, platforms.
    func dictionary<Element>(
        of element: (JSONInput) throws(ContentFault) -> Element
    ) throws(ContentFault) -> [String: Element] {
        guard case .object(let members) = value else { throw mismatch("an object") }
        var elements: [String: Element] = [:]
        for member in members {
            let input = JSONInput(member.value, at: .member(of: place, member.name))
            // Two that `String` takes for one would lose a value without a word.
            guard elements.updateValue(try element(input), forKey: member.name) == nil else {
                throw input.fault(.duplicateField, "'\(member.name)' stands twice here, in letters that look alike.")
            }
        }
        return elements
    }

    struct Members {
        fileprivate let place: Place
        fileprivate let members: [JSONValue.Member]

        /// - Throws: `unknown_field` for the first name that is not among `names`: a typing mistake must not pass as a wish
        ///   fulfilled.
        func only(_ names: String...) throws(ContentFault) -> Members {
            for member in members where !names.contains(member.name) {
                throw ContentFault(
                    code: .unknownField, pointer: Place.member(of: place, member.name).pointer,
                    detail: "'\(member.name)' is no field here; known are \(names.joined(separator: ", ")).")
            }
            return self
        }

        subscript(name: String) -> JSONInput? {
            members.first { $0.name == name }.map { JSONInput($0.value, at: .member(of: place, name)) }
        }

        func required(_ name: String) throws(ContentFault) -> JSONInput {
            guard let input = self[name] else {
                throw ContentFault(
                    code: .missingField, pointer: Place.member(of: place, name).pointer,
                    detail: "The field '\(name)' is missing.")
            }
            return input
        }

        var isEmpty: Bool { members.isEmpty }
    }
}
