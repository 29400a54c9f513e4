import HTTP1

extension Fields {
    /// The value of the only line with this name; nil where there is none, or several.
    func single(_ name: StaticString) -> ArraySlice<UInt8>? {
        var found: ArraySlice<UInt8>?
        for line in lines where self.name(of: line).equalsIgnoringCase(name) {
            if found != nil { return nil }
            found = value(of: line)
        }
        return found
    }
}
