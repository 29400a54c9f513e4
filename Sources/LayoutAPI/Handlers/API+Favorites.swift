import HTTP1
import LayoutApplication
import LayoutModel

extension API {
    func putFavorite(_ call: Call) throws -> Answer {
        let placement = call.request.content.isEmpty ? nil : try call.content().favorite()
        return try write(
            .operations([.add(try call.function(), at: placement)], madeOn: nil),
            if: try tags.precondition(of: call.request), call, created: true)
    }

    func deleteFavorite(_ call: Call) throws -> Answer {
        try write(
            .operations([.remove(try call.function())], madeOn: nil), if: try tags.precondition(of: call.request), call)
    }

    func getTargets(_ call: Call) throws -> Answer {
        let client = try call.client()
        let function = try call.function()
        let proposed = try call.integer("proposed", in: 0...1_000_000)
        return later(call) {
            let view = layouts.view(try await layouts.layout(of: client.user).layout, for: client)
            let targets = view.layout.targets(of: function, proposed: proposed, locked: view.stored.locked)
            var json = JSONWriter()
            json.targets(targets)
            return try Representation(
                tag: "\(view.tag.text)-\(view.layout.catalog.revision)", content: json.octets, cacheControl: "private, no-cache"
            ).response(to: call.request, tags: tags)
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
