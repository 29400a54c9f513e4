/// A field section (RFC 9110 §5): an ordered list of lines that may repeat.
///
/// It is kept as the octets of the section (`Name: value\r\n` …) with the place of each line in them: a received section
/// is one copy of the bytes as they came, a sent one goes out in one append, and a value becomes a `String` when asked for.
package struct Fields: Sendable {
    /// The section as it stands on the wire, each line ended by CR LF, without the empty line.
    package private(set) var octets: [UInt8] = []
    package private(set) var lines: [Line] = []

    /// Where one line's name and value (without the white space around it) stand in `octets`.
    package struct Line: Sendable {
        package var name: Range<Int32>
        package var value: Range<Int32>
    }

    package init() {}

    package mutating func removeAll() {
        octets.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
    }
}
