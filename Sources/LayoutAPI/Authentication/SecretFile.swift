/// A secret in a file.
package enum SecretFile {
    /// The secret: the file as it is, or without its last line end where it is text, since editors and `echo` put one
    /// there that nobody means.
    package static func octets(_ file: [UInt8]) -> [UInt8] {
        let isText = file.allSatisfy {
            (0x20...0x7E).contains($0) || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
        }
        guard isText, file.last == UInt8(ascii: "\n") else { return file }
        let line = file.dropLast()
        return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
}
