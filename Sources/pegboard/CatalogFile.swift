import LayoutAPI
import LayoutApplication
import LayoutModel

/// A catalog in a file, as a product team hands it over.
enum CatalogFile {
    /// - Throws: `CommandFailure` 65 that names the place of the first fault in its form.
    static func read(_ path: String) throws -> CatalogDraft { try decode(try Machine.read(path), from: path) }

    static func decode(_ octets: [UInt8], from path: String) throws -> CatalogDraft {
        do {
            return try CatalogCoding.json.decode(octets)
        } catch {
            throw CommandFailure(.badInput, "\(path): \(error)")
        }
    }

    /// Every fault on a line of its own, as a compiler lists them.
    static func lines(_ faults: CatalogDraft.Faults, in path: String) -> String {
        faults.listed.map { "\(path):\($0.pointer): \($0.detail) [\($0.code.rawValue)]\n" }.joined()
    }
}
