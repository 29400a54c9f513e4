import HTTP1

extension Fields {
    /// The value of the only line with this name; nil where there is none, or several.
    func single(_ name: StaticString) -> ArraySlice<UInt8>? {
        if case .once(let value) = occurrence(of: name) { value } else { nil }
    }
}
