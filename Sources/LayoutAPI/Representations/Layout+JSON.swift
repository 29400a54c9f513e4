import HTTP1
import LayoutApplication
import LayoutModel

extension JSONWriter {
    /// The layout, as GET gives it and every write answers it.
    ///
    /// - Parameter origin: in an event, the client that made the change; empty where it did not say.
    mutating func layout(_ view: LayoutView, origin: String? = nil) {
        object { json in
            json.member("userId", view.layout.client.user.text)
            json.member("version", view.stored.version)
            json.member("customized", view.stored.customized)
            json.member("locked", view.stored.locked)
            json.name("updatedAt")
            if let updatedAt = view.stored.updatedAt { json.timestamp(updatedAt) } else { json.null() }
            json.member("catalogRevision", view.layout.catalog.revision)
            json.name("favorites")
            json.ids(view.layout.favorites)
            if let origin { json.member("origin", origin) }
        }
    }

    /// No id holds what JSON would escape, so they go in as they are.
    mutating func ids(_ ids: [FunctionID]) {
        raw(atMost: ids.reduce(2) { $0 + $1.text.utf8.count + 3 }) { room in
            room.write("[")
            var isFirst = true
            for id in ids {
                room.write(isFirst ? "\"" : ",\"")
                room.write(text: id.text)
                room.write("\"")
                isFirst = false
            }
            room.write("]")
        }
    }

    mutating func change(_ result: ChangeResult, validateOnly: Bool) {
        object { json in
            json.name("layout")
            json.layout(result.view)
            json.member("changed", result.changed)
            if validateOnly { json.member("validateOnly", true) }
            if let version = result.rebasedFrom { json.member("rebasedFrom", version) }
            json.name("outcomes")
            json.array(result.outcomes) { $0.outcome($1) }
            if !result.missing.isEmpty { json.missing(result.missing) }
        }
    }

    private mutating func outcome(_ outcome: Outcome) {
        object { json in
            json.member("op", outcome.operation.rawValue)
            if outcome.items.count == 1, outcome.absent.isEmpty {
                json.member("id", outcome.items[0].text)
            } else {
                json.name("ids")
                json.ids(outcome.items)
            }
            switch outcome.result {
            case .applied: json.member("result", "applied")
            case .unchanged: json.member("result", "unchanged")
            case .itemAbsent:
                json.member("result", "skipped")
                json.member("reason", "item_absent")
            case .anchorAbsent:
                json.member("result", "skipped")
                json.member("reason", "anchor_absent")
            case .anchorSubstituted(let destination):
                json.member("result", "anchor_substituted")
                json.name("at")
                json.destination(destination)
            }
            if !outcome.absent.isEmpty {
                json.name("absent")
                json.ids(outcome.absent)
            }
        }
    }

    private mutating func destination(_ destination: Placement.Destination) {
        object { json in
            switch destination {
            case .index(let index): json.member("index", index)
            case .before(let id): json.member("before", id.text)
            case .after(let id): json.member("after", id.text)
            case .first: json.member("edge", "first")
            case .last: json.member("edge", "last")
            }
        }
    }

    /// What an earlier version had and could not come back, each with the code of the reason.
    private mutating func missing(_ items: [MissingItem]) {
        name("missing")
        array(items) { json, item in
            json.object { json in
                json.member("id", item.id.text)
                json.member("code", Problem(item.refusal).code.rawValue)
            }
        }
    }
}
