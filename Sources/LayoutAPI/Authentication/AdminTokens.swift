import LayoutModel

/// The tokens of people and programs that administer, as their hashes: the file gives none of them away.
package struct AdminTokens: Sendable {
    private var lines: [(name: String, digest: SHA256Digest)] = []

    package static let none = AdminTokens()

    private init() {}

    /// Reads lines of a name, white space, and the SHA-256 of a token in hexadecimal. Empty lines and those behind `#`
    /// count as comments. A name may have several tokens, so that one can follow another without a gap.
    package init(_ file: [UInt8]) throws(CredentialFault) {
        guard file.count <= 1 << 20 else { throw CredentialFault("it is longer than \(1 << 20) bytes") }
        let lines = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let text = String(validating: line, as: UTF8.self) else {
                throw CredentialFault("line \(index + 1) is not UTF-8")
            }
            let words = text.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            guard words.count == 2, let digest = SHA256Digest(hexadecimal: words[1]), UserID.isName(String(first))
            else {
                throw CredentialFault("line \(index + 1) is not NAME SHA256HEX, as `pegboard token hash` prints it")
            }
            guard !self.lines.contains(where: { $0.digest == digest }) else {
                throw CredentialFault("line \(index + 1) has the same hash as an earlier line")
            }
            self.lines.append((String(first), digest))
        }
    }

    package var count: Int { lines.count }

    /// The name that goes with a token's hash. Looks at every line whichever one it is, each in constant time.
    func name(for digest: SHA256Digest) -> String? {
        var found: Int?
        for index in lines.indices where lines[index].digest.isEqualInConstantTime(to: digest) { found = index }
        return found.map { lines[$0].name }
    }
}
