import LayoutModel

extension JSONWriter {
    mutating func page(_ page: Page, wording: Wording) {
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
                    json.cells(page.favorites, wording: wording, inFavorites: true)
                }
                for section in page.sections {
                    json.object { json in
                        json.member("id", section.id)
                        json.member("title", section.title)
                        json.policy(isOpen: false)
                        json.cells(section.cells, wording: wording, inFavorites: false)
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

    private mutating func cells(_ cells: [Page.Cell], wording: Wording, inFavorites: Bool) {
        name("cells")
        var common = CommonRefusal(wording)
        array(cells) { json, cell in
            json.object { json in
                json.member("id", cell.function.id.text)
                json.member("title", cell.title)
                if let icon = cell.function.icon { json.member("icon", icon) }
                if let link = cell.function.link { json.member("link", link) }
                json.member("badge", cell.badge.rawValue)
                if inFavorites {
                    json.member("canMove", cell.canMove)
                    json.member("canRemove", cell.canRemove)
                }
                if let refusal = cell.refusal {
                    json.name("refusal")
                    json.raw(common.json(refusal, cell))
                }
            }
        }
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

/// Remembers how the last refusal was written: on a full list, or a locked page, it is the same for every cell.
private struct CommonRefusal {
    private let wording: Wording
    private var last: (refusal: Refusal, json: [UInt8])?

    init(_ wording: Wording) { self.wording = wording }

    mutating func json(_ refusal: Refusal, _ cell: Page.Cell) -> [UInt8] {
        if let last, last.refusal == refusal { return last.json }
        var json = JSONWriter(reserving: 128)
        json.refusal(refusal, title: wording.sentence(for: refusal, function: cell.function, title: cell.title))
        // The others name the function.
        if wording.namesNoFunction(in: refusal) { last = (refusal, json.octets) }
        return json.octets
    }
}
