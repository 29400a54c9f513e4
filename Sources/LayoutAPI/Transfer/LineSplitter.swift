/// Lines out of octets that come in pieces. It holds one line at most, and of one that is too long nothing.
struct LineSplitter {
    enum Line: Equatable {
        case text([UInt8])
        case tooLong
    }

    /// In octets, without its end.
    let limit: Int
    private var rest: [UInt8] = []
    private var isTooLong = false
    private var number = 0

    init(limit: Int) { self.limit = limit }

    /// The lines that end in `piece`, and their numbers from 1. Empty ones, and those of white space, are counted and left out.
    mutating func lines(in piece: [UInt8]) -> [(number: Int, line: Line)] {
        var lines: [(number: Int, line: Line)] = []
        var start = 0
        while let newline = piece[start...].firstIndex(of: UInt8(ascii: "\n")) {
            keep(piece[start..<newline])
            if let line = end() { lines.append(line) }
            start = newline + 1
        }
        keep(piece[start...])
        return lines
    }

    /// What stands behind the last line's end.
    mutating func last() -> (number: Int, line: Line)? { end() }

    private mutating func keep(_ part: ArraySlice<UInt8>) {
        isTooLong = isTooLong || rest.count + part.count > limit
        if isTooLong { rest = [] } else { rest += part }
    }

    private mutating func end() -> (number: Int, line: Line)? {
        defer {
            rest = []
            isTooLong = false
        }
        number += 1
        if isTooLong { return (number, .tooLong) }
        return rest.allSatisfy(\.isJSONSpace) ? nil : (number, .text(rest))
    }
}

extension UInt8 {
    /// RFC 8259 §2; the newline aside, which ends a line.
    fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0D }
}
