import Glibc

/// A text file line by line, however large it is.
struct LineReader {
    private let descriptor: Int32
    private let path: String
    private var rest: [UInt8] = []
    private var isAtEnd = false
    private var number = 0

    /// - Parameter path: `-` for standard input.
    /// - Throws: `CommandFailure` 65 where the file cannot be opened.
    init(_ path: String) throws {
        self.path = path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(.badInput, "\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
    }

    /// The next line that is not empty, without its end, and its number from 1; nil after the last.
    mutating func next() throws -> (number: Int, text: [UInt8])? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(rest[..<end])
                rest.removeFirst(end + 1)
                number += 1
                if !line.isEmpty { return (number, line) }
            } else if isAtEnd {
                defer { rest = [] }
                return rest.isEmpty ? nil : (number + 1, rest)
            } else {
                try readMore()
            }
        }
    }

    private mutating func readMore() throws {
        let count = withUnsafeTemporaryAllocation(byteCount: 64 * 1_024, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { rest.append(contentsOf: buffer[..<count]) }
            return count
        }
        guard count >= 0 else {
            throw CommandFailure(.badInput, "\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        isAtEnd = count == 0
    }
}
