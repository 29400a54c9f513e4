import HTTP1
import LayoutApplication
import LayoutModel

extension API {
    func getLayout(_ call: Call) throws -> Answer {
        let client = try call.client()
        if let seconds = Preference.wait(of: call.request) { return waitForLayout(call, client, seconds: seconds) }
        if let entry = layouts.layoutAtHand(of: client.user) { return .now(try answer(call, with: entry, for: client)) }
        return later(call) { [self] in try answer(call, with: try await layouts.layout(of: client.user), for: client) }
    }

    func answer(_ call: Call, with entry: LayoutEntry, for client: Client) throws -> Response {
        do {
            return try representation(of: entry, for: client, call).response(to: call.request, tags: tags)
        } catch let failure as Precondition.Failure {
            var problem = Problem(failure)
            problem.current = layouts.view(entry.layout, for: client)
            throw problem
        }
    }

    /// What was made of this layout for this kind of client once is given again, as long as the catalog is the same.
    private func representation(of entry: LayoutEntry, for client: Client, _ call: Call) -> KeptRepresentation {
        let query = call.queryOctets
        if let kept = Renderings.of(entry)?.layout, kept.fits(catalogRevision: catalogs.revision, query: query) {
            return kept.representation
        }
        let view = layouts.view(entry.layout, for: client)
        var json = JSONWriter()
        json.layout(view)
        let representation = KeptRepresentation(
            Representation(tag: view.tag.text, cacheControl: "private, no-cache"), content: json.octets)
        Renderings.keep(
            layout: Rendering(
                representation, catalogRevision: view.layout.catalog.revision, query: Array(query)), on: entry)
        return representation
    }

    func putLayout(_ call: Call) throws -> Answer {
        let content = try call.content()
        let command: LayoutCommand
        do throws(ContentFault) {
            command = try content.wholeList()
        } catch {
            // Who forgot the condition is told so first: that is the mistake that loses updates (decision 6).
            let precondition = try tags.precondition(of: call.request, isRequired: true)
            if precondition.match == nil && precondition.noneMatch == nil && !content.has("baseVersion") {
                throw Precondition.Failure.required
            }
            throw error
        }
        return try write(command, call)
    }

    func resetLayout(_ call: Call) throws -> Answer { try write(.reset, call) }

    func applyOperations(_ call: Call) throws -> Answer { try write(try call.content().operations(), call) }

    /// Carries a command out and answers with the whole new layout.
    ///
    /// - Parameter resource: see `WriteAnswer`.
    func write(_ command: LayoutCommand, _ call: Call, putting resource: FunctionID? = nil) throws -> Answer {
        let change = try change(command, call, putting: resource)
        let spent = TimeSpent()
        return promised(call, spent) { [self] settle in
            layouts.apply(change, noting: spent, then: settle)
        } respond: { [self] settled in
            metrics.settled(settled)
            return switch settled {
            case .decided(let result):
                WriteAnswer(result, putting: resource, validateOnly: change.validateOnly).response
            case .replayed(let record): WriteAnswer(record).replay
            }
        }
    }

    private func change(
        _ command: LayoutCommand, _ call: Call, putting resource: FunctionID?
    ) throws -> ChangeRequest {
        // In the order of the checks.
        let client = try call.client()
        let precondition = try tags.precondition(of: call.request, isRequired: command.overwrites)
        let validateOnly = try call.flag("validateOnly")
        return ChangeRequest(
            client: client, command: command, precondition: precondition, validateOnly: validateOnly,
            origin: ClientName.of(call.request), actor: call.principal.name,
            repeatable: try repeatable(call) { WriteAnswer($0, putting: resource, validateOnly: validateOnly).record })
    }

    private func repeatable(
        _ call: Call, answer: @escaping @Sendable (ChangeResult) -> RecordedAnswer
    ) throws -> ChangeRequest.Repeatable? {
        guard let key = try IdempotencyKey.key(of: call.request) else { return nil }
        let request = IdempotentRequest(
            scope: "\(call.request.method.rawValue) \(call.request.target.pathString ?? "")", key: key,
            // Not the query: an app that was updated before it repeats says another version there.
            fingerprint: call.request.content, notBefore: now - idempotencyTimeToLive, now: now)
        return ChangeRequest.Repeatable(request, answer: answer)
    }
}

extension LayoutCommand {
    /// Whether it takes the place of the list whatever that is: then the request has to say which one it means.
    fileprivate var overwrites: Bool {
        switch self {
        case .operations, .lock, .adopt: false
        case .replace(_, let version): version == nil
        case .reset, .revert: true
        }
    }
}
