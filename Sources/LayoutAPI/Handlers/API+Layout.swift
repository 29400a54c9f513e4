import HTTP1
import LayoutApplication
import LayoutModel
import Locking

extension API {
    func getLayout(_ call: Call) throws -> Answer {
        let client = try call.client()
        if let entry = layouts.cachedLayout(of: client.user) {
            return .now(try layoutRepresentation(of: entry, for: client, call).response(to: call.request, tags: tags))
        }
        return later(call) {
            let entry = try await layouts.layout(of: client.user)
            return try layoutRepresentation(of: entry, for: client, call).response(to: call.request, tags: tags)
        }
    }

    /// What was made of this layout for this kind of client once is given again, as long as the catalog is the same.
    private func layoutRepresentation(of entry: LayoutEntry, for client: Client, _ call: Call) -> Representation {
        let view = { layouts.view(entry.layout, for: client) }
        let revision = catalogs.catalog.revision
        return entry.rendering.withLock { rendering in
            if let kept = rendering as? RenderedLayout, kept.catalogRevision == revision,
                kept.query.elementsEqual(call.queryOctets)
            {
                return kept.representation
            }
            let view = view()
            var json = JSONWriter()
            json.layout(view)
            let representation = Representation(
                tag: view.tag.text, content: json.octets, cacheControl: "private, no-cache")
            rendering = RenderedLayout(
                catalogRevision: view.layout.catalog.revision, query: Array(call.queryOctets),
                representation: representation)
            return representation
        }
    }

    func putLayout(_ call: Call) throws -> Answer {
        let (list, baseVersion) = try call.content().wholeList()
        let precondition = try tags.precondition(of: call.request)
        if precondition.match == nil && precondition.noneMatch == nil && baseVersion == nil {
            throw Problem.preconditionRequired
        }
        return try write(.replace(list, madeOn: baseVersion), if: precondition, call)
    }

    func resetLayout(_ call: Call) throws -> Answer {
        let precondition = try tags.precondition(of: call.request)
        if precondition.match == nil { throw Problem.preconditionRequired }
        return try write(.reset, if: precondition, call)
    }

    func applyOperations(_ call: Call) throws -> Answer {
        try write(try call.content().operations(), if: try tags.precondition(of: call.request), call)
    }

    /// Carries a command out and answers with the whole new layout.
    ///
    /// - Parameter created: whether a change of this kind makes something that was not there: 201.
    func write(
        _ command: LayoutCommand, if precondition: Precondition, _ call: Call, created: Bool = false
    ) throws -> Answer {
        var change = ChangeRequest(client: try call.client(), command: command)
        change.precondition = precondition
        change.validateOnly = try call.flag("validateOnly")
        change.actor = call.principal.name
        let validateOnly = change.validateOnly
        let answer = { @Sendable (result: ChangeResult) in
            WriteAnswer(result, created: created && result.changed, validateOnly: validateOnly)
        }
        if let key = try IdempotencyKey.key(of: call.request) {
            change.request = IdempotentRequest(
                scope: "\(call.request.method.rawValue) \(call.request.target.pathString ?? "")", key: key,
                fingerprint: Array(call.queryOctets) + [0] + call.request.content,
                notBefore: now - idempotencyTimeToLive, now: now)
            change.record = { answer($0).record }
        }
        return later(call) { [change] in
            switch try await layouts.apply(change) {
            case .decided(let result): answer(result).response
            case .replayed(let record): WriteAnswer(record).replay
            }
        }
    }
}

/// What hangs on a layout in memory.
private final class RenderedLayout: Sendable {
    let catalogRevision: Int
    let query: [UInt8]
    let representation: Representation

    init(catalogRevision: Int, query: [UInt8], representation: Representation) {
        self.catalogRevision = catalogRevision
        self.query = query
        self.representation = representation
    }
}
