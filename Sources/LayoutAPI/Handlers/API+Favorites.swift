import HTTP1
import LayoutApplication
import LayoutModel

extension API {
    func putFavorite(_ call: Call) throws -> Answer {
        let function = try call.function()
        let placement = call.request.content.isEmpty ? nil : try call.content().placement(of: function)
        return try write(.operations([.add(function, at: placement)], madeOn: nil), call, putting: function)
    }

    func deleteFavorite(_ call: Call) throws -> Answer {
        try write(.operations([.remove(try call.function())], madeOn: nil), call)
    }

    func getTargets(_ call: Call) throws -> Answer {
        let client = try call.client()
        let function = try call.function()
        let proposed = try call.integer("proposed", in: 0...1_000_000)
        return later(call) { [self] in
            let view = layouts.view(try await layouts.layout(of: client.user).layout, for: client)
            let catalog = view.layout.catalog
            let language = Accept.language(call.request.fields, of: catalog.languages, or: catalog.defaultLanguage)
            let representation = Representation(
                tag: "\(view.stored.version).\(catalog.revision).\(language)", cacheControl: "private, no-cache",
                vary: "Accept-Language", language: language)
            return try representation.response(to: call.request, tags: tags) {
                let targets = view.layout.targets(of: function, proposed: proposed, locked: view.stored.locked)
                var json = JSONWriter()
                json.targets(targets) { refusal in
                    let named = catalog[function]
                    let title = named?.title.text(in: language, or: catalog.defaultLanguage) ?? function.text
                    return Wording.in(language).sentence(for: refusal, function: named, title: title)
                }
                return json.octets
            }
        }
    }
}

extension JSONWriter {
    /// - Parameter sentence: what a refusal says to the person who drags.
    fileprivate mutating func targets(_ targets: DragTargets, saying sentence: (Refusal) -> String) {
        object { json in
            json.member("canMove", targets.refusal == nil)
            if let refusal = targets.refusal {
                json.name("refusal")
                json.refusal(refusal, title: sentence(refusal))
            }
            json.name("slots")
            json.array(targets.slots) { $0.integer($1) }
            if let corrected = targets.corrected { json.member("corrected", corrected) }
        }
    }
}
