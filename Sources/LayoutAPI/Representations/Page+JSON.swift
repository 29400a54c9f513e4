import HTTP1
import LayoutModel

extension JSONWriter {
    /// - Parameter texts: of the page's catalog, in its language.
    mutating func page(_ page: Page, _ texts: CellTexts, wording: Wording) {
        let writer = CellWriter(page, texts, wording)
        let policy = page.layout.catalog.policy
        object { json in
            json.member("userId", page.layout.client.user.text)
            json.member("layoutVersion", page.stored.version)
            json.member("catalogRevision", page.layout.catalog.revision)
            json.member("locale", page.language)
            json.member("limit", policy.limit)
            json.member("minimum", policy.minimum)
            json.member("locked", page.stored.locked)
            json.name("sections")
            json.array { json in
                json.object { json in
                    json.member("id", "favorites")
                    json.member("title", wording.favorites)
                    json.policy(isOpen: !page.stored.locked)
                    json.cells(page.favorites, writer, inFavorites: true)
                }
                for section in page.sections {
                    json.object { json in
                        json.member("id", section.id)
                        json.member("title", section.title)
                        json.policy(isOpen: false)
                        json.cells(section.cells, writer, inFavorites: false)
                    }
                }
            }
            json.name("pins")
            json.object { json in
                for pin in page.pins {
                    json.name(String(pin.slot))
                    json.string(pin.id.text)
                }
            }
        }
    }

    private mutating func policy(isOpen: Bool) {
        name("policy")
        object { json in
            json.member("canMove", isOpen)
            json.member("canAdd", isOpen)
            json.member("canRemove", isOpen)
        }
    }

    private mutating func cells(_ cells: [Page.Cell], _ writer: CellWriter, inFavorites: Bool) {
        name("cells")
        var common = CommonRefusal()
        array { json in
            // By index: cells are looked at where they are, and not copied.
            for index in cells.indices { json.cell(cells[index], writer, &common, inFavorites: inFavorites) }
        }
    }

    private mutating func cell(
        _ cell: Page.Cell, _ writer: CellWriter, _ common: inout CommonRefusal, inFavorites: Bool
    ) {
        writer.texts.withStart(of: cell.place) { start in
            // What stands behind the start has 62 octets at most.
            raw(atMost: start.count + 64) { room in
                room.write(start)
                room.write(",\"badge\":\"")
                room.write(text: cell.badge.rawValue)
                room.write("\"")
                guard inFavorites else { return }
                room.write(cell.canMove ? ",\"canMove\":true" : ",\"canMove\":false")
                room.write(cell.canRemove ? ",\"canRemove\":true" : ",\"canRemove\":false")
            }
        }
        if let refusal = cell.refusal {
            name("refusal")
            raw(common.json(refusal, cell, writer))
        }
        endObject()
    }

    /// A refusal beside something that was not refused as a whole: the code and parameters that a write would meet.
    mutating func refusal(_ refusal: Refusal, title: String) {
        let problem = Problem(refusal)
        object { json in
            json.member("code", problem.code.rawValue)
            json.member("title", title)
            if !problem.params.isEmpty {
                json.name("params")
                json.object { $0.parameters(problem.params) }
            }
        }
    }
}

/// What the cells of a page have in common: an object, so that each cell is handed one reference.
private final class CellWriter {
    let page: Page
    let texts: CellTexts
    let wording: Wording

    init(_ page: Page, _ texts: CellTexts, _ wording: Wording) {
        self.page = page
        self.texts = texts
        self.wording = wording
    }
}

/// Remembers how the last refusal was written: on a full list, or a locked page, it is the same for every cell.
private struct CommonRefusal {
    private var last: (refusal: Refusal, json: [UInt8])?

    mutating func json(_ refusal: Refusal, _ cell: Page.Cell, _ writer: CellWriter) -> [UInt8] {
        if let last, last.refusal == refusal { return last.json }
        var json = JSONWriter(reserving: 128)
        let page = writer.page
        json.refusal(
            refusal,
            title: writer.wording.sentence(for: refusal, function: page.function(of: cell), title: page.title(of: cell))
        )
        // The others name the function.
        if writer.wording.namesNoFunction(in: refusal) { last = (refusal, json.octets) }
        return json.octets
    }
}
