import HTTP1
import LayoutModel
import Locking

/// What of a cell is the same for everybody, by the function's place in the catalog: its start as JSON, up to the badge.
/// Nearly all of a page is this, and it changes with the catalog alone.
final class CellTexts: Sendable {
    /// All starts, one behind the other, and where each one ends.
    private let octets: [UInt8]
    private let ends: [Int]

    init(_ catalog: Catalog, in language: String) {
        var octets: [UInt8] = []
        ends = catalog.functions.map { function in
            var json = JSONWriter(reserving: 256)
            json.beginObject()
            json.member("id", function.id.text)
            json.member("title", function.title.text(in: language, or: catalog.defaultLanguage))
            if let icon = function.icon { json.member("icon", icon) }
            if let link = function.link { json.member("link", link) }
            octets += json.octets
            return octets.count
        }
        self.octets = octets
    }

    /// Lends out the start for the function at `place`.
    func withStart<Result>(of place: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        octets.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[(place == 0 ? 0 : ends[place - 1])..<ends[place]]))
        }
    }
}

/// Those of the catalog in force, by language, made when somebody asks for the language.
final class CellTextsByLanguage: Sendable {
    private let kept = Mutex(Kept())

    private struct Kept: Sendable {
        var revision = 0
        var texts: [String: CellTexts] = [:]
    }

    func texts(of catalog: Catalog, in language: String) -> CellTexts {
        let present = kept.withLock { $0.revision == catalog.revision ? $0.texts[language] : nil }
        if let present { return present }
        // Outside the lock, perhaps by several at once.
        let made = CellTexts(catalog, in: language)
        kept.withLock { kept in
            if kept.revision < catalog.revision { kept = Kept(revision: catalog.revision) }
            if kept.revision == catalog.revision { kept.texts[language] = made }
        }
        return made
    }
}
