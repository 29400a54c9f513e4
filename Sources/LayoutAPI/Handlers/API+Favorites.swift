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
            let representation = Representation(
                tag: "\(view.stored.version).\(view.layout.catalog.revision)", cacheControl: "private, no-cache")
            return try representation.response(to: call.request, tags: tags) {
                var json = JSONWriter()
                json.targets(view.layout.targets(of: function, proposed: proposed, locked: view.stored.locked))
                return json.octets
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func targets(_ targets: DragTargets) {
        object { json in
            json.member("canMove", targets.refusal == nil)
            if let refusal = targets.refusal {
                json.name("refusal")
                json.refusal(refusal, title: Problem(refusal).detail)
            }
            json.name("slots")
            json.array(targets.slots) { $0.integer($1) }
            if let corrected = targets.corrected { json.member("corrected", corrected) }
        }
    }
}
