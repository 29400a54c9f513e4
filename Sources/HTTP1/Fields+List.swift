extension Fields {
    /// The elements of a comma-separated list (RFC 9110 §5.6.1) over all lines with this name: without the white space
    /// around them, empty ones left out, commas inside quoted strings kept.
    package func elements(of name: StaticString) -> [ArraySlice<UInt8>] {
        var all: [ArraySlice<UInt8>] = []
        for line in linesNamed(name) {
            all.append(contentsOf: ListElements(value(of: line)))
        }
        return all
    }

    /// Whether a list of tokens holds this one, whatever the case of its letters.
    package func contains(_ name: StaticString, token: StaticString) -> Bool {
        linesNamed(name).contains { line in
            ListElements(value(of: line)).contains { $0.equalsIgnoringCase(token) }
        }
    }
}

/// Walks over one list value without allocating.
package struct ListElements: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    package init(_ value: ArraySlice<UInt8>) {
        rest = value
    }

    package mutating func next() -> ArraySlice<UInt8>? {
        while !rest.isEmpty {
            let end = elementEnd()
            let element = rest[..<end].trimmed
            rest = rest[end...].dropFirst()
            if !element.isEmpty { return element }
        }
        return nil
    }

    /// The next comma that stands outside a quoted string. An entity tag knows no escapes, a quoted string does
    /// (RFC 9110 §5.6.4); a backslash before the closing quote of a tag is rare enough to be read as one.
    private func elementEnd() -> Int {
        var quoted = false
        var escaped = false
        for index in rest.indices {
            switch rest[index] {
            case _ where escaped: escaped = false
            case UInt8(ascii: "\\"): escaped = quoted
            case UInt8(ascii: "\""): quoted.toggle()
            case UInt8(ascii: ",") where !quoted: return index
            default: break
            }
        }
        return rest.endIndex
    }
}
