/// A value of a request's content together with its place in it: what is wrong can always be said with a pointer.
struct JSONInput {
    private let source: Source
    private let place: Int

    /// One object for all values of a document: they are many, and handed on with one reference each.
    private final class Source {
        let document: JSONDocument

        init(_ document: JSONDocument) { self.document = document }
    }

    /// - Throws: `ContentFault` where it is no JSON.
    init(_ octets: [UInt8]) throws(ContentFault) {
        self.init(Source(try JSONReader.document(octets)), at: JSONDocument.root)
    }

    private init(_ source: Source, at place: Int) {
        self.source = source
        self.place = place
    }

    private var document: JSONDocument { source.document }

    /// RFC 6901.
    var pointer: String { document.pointer(to: place) }
    /// How a message names it.
    var words: String { document.kind(at: place).words }
    var isNull: Bool { document.kind(at: place) == .null }
    var isObject: Bool { document.kind(at: place) == .object }

    func fault(_ code: Problem.Code = .invalidValue, _ detail: String) -> ContentFault {
        ContentFault(code: code, pointer: pointer, detail: detail)
    }

    private func mismatch(_ expected: String) -> ContentFault {
        fault(.invalidValue, "Expected \(expected), not \(words).")
    }

    // MARK: Single values

    func string() throws(ContentFault) -> String {
        guard isText else { throw mismatch("a string") }
        return document.text(at: place)
    }

    /// What `read` makes of the octets of a text.
    func string<Result>(_ read: (UnsafeBufferPointer<UInt8>) -> Result) throws(ContentFault) -> Result {
        guard isText else { throw mismatch("a string") }
        return document.withText(at: place, read)
    }

    /// Whether this is exactly that text.
    func isText(_ text: StaticString) -> Bool { isText && document.text(at: place, is: text) }

    private var isText: Bool {
        switch document.kind(at: place) {
        case .text, .madeText: true
        case .null, .yes, .no, .integer, .number, .array, .object: false
        }
    }

    func bool() throws(ContentFault) -> Bool {
        switch document.kind(at: place) {
        case .yes: return true
        case .no: return false
        case .null, .integer, .number, .text, .madeText, .array, .object: throw mismatch("a boolean")
        }
    }

    func integer() throws(ContentFault) -> Int {
        guard let integer = wholeNumber else { throw mismatch("a whole number") }
        return integer
    }

    var wholeNumber: Int? { document.kind(at: place) == .integer ? document.integer(at: place) : nil }

    // MARK: Arrays

    /// How many elements an array has.
    func count() throws(ContentFault) -> Int {
        guard document.kind(at: place) == .array else { throw mismatch("an array") }
        return document.children(of: place).reduce(0) { count, _ in count + 1 }
    }

    func array<Element>(
        of element: (JSONInput) throws(ContentFault) -> Element
    ) throws(ContentFault) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(try count())
        for child in document.children(of: place) { elements.append(try element(JSONInput(source, at: child))) }
        return elements
    }

    // MARK: Objects

    /// The members of an object of which every name is known to its reader.
    func object() throws(ContentFault) -> Members {
        guard isObject else { throw mismatch("an object") }
        return Members(object: self)
    }

    /// Whether this is an object with such a member, whatever its value is.
    func has(_ name: StaticString) -> Bool { isObject && Members(object: self)[name] != nil }

    /// All members of an object whose names are data: languages, platforms.
    func dictionary<Element>(
        of element: (JSONInput) throws(ContentFault) -> Element
    ) throws(ContentFault) -> [String: Element] {
        guard isObject else { throw mismatch("an object") }
        var elements: [String: Element] = [:]
        for name in document.children(of: place) {
            let (text, input) = (document.text(at: name), JSONInput(source, at: name + 1))
            // Two that `String` takes for one would lose a value without a word.
            guard elements.updateValue(try element(input), forKey: text) == nil else {
                throw input.fault(.duplicateField, "'\(text)' stands twice here, in letters that look alike.")
            }
        }
        return elements
    }

    struct Members {
        fileprivate let object: JSONInput

        /// - Throws: `unknown_field` for the first name that is not among `names`: a typing mistake must not pass as a wish
        ///   fulfilled.
        func only(_ names: StaticString...) throws(ContentFault) -> Members {
            let document = object.source.document
            for name in document.children(of: object.place)
            where !names.contains(where: { document.text(at: name, is: $0) }) {
                let known = names.map(\.description).joined(separator: ", ")
                throw ContentFault(
                    code: .unknownField, pointer: document.pointer(to: name),
                    detail: "'\(document.text(at: name).excerpt)' is no field here; known are \(known).")
            }
            return self
        }

        subscript(name: StaticString) -> JSONInput? {
            let document = object.source.document
            for other in document.children(of: object.place) where document.text(at: other, is: name) {
                return JSONInput(object.source, at: other + 1)
            }
            return nil
        }

        func required(_ name: StaticString) throws(ContentFault) -> JSONInput {
            guard let input = self[name] else {
                throw ContentFault(
                    code: .missingField, pointer: LayoutAPI.pointer(object.pointer, name.description),
                    detail: "The field '\(name)' is missing.")
            }
            return input
        }
    }
}
