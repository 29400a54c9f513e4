import HTTP1
import LayoutApplication
import LayoutModel

/// All layouts out and in, as JSON lines. What is worked on is a page or a few hundred lines, however many there are, and
/// it is done away from the connection's event loop.
extension API {
    func exportLayouts(_ call: Call) throws -> Answer {
        let last = try call.exportStart()
        let export = LayoutExport(pages: layouts.layouts)
        let isStillTaken = try settings.authentication.standing(of: call.request)
        return .now(
            Self.lines(of: call) { writer in
                try await export.run(after: last) { lines, _ in
                    // Cut off, and so not whole: it goes on behind its last line with a token that is taken.
                    guard isStillTaken() else { throw CancellationError() }
                    try await writer.write(lines)
                }
            })
    }

    /// One line for each, while they come.
    func importLayouts(_ call: Call) throws -> Answer {
        // Without a catalog every id is unknown, and every list would come in empty.
        guard catalogs.catalog.revision > 0 else {
            throw Problem(.noCatalog, "No catalog was published yet, so no id is known. Publish one first.")
        }
        let content = call.pieces()
        let load = LayoutImport(into: layouts, by: call.principal.name, origin: ClientName.of(call.request))
        return later(call) {
            // Once an answer has begun nobody can be told to go on: it begins when the first piece is there.
            let first = try await content.read()
            return Self.lines(of: call) { writer in
                var next = first
                let read = {
                    guard let piece = next else { return try await content.read() }
                    next = nil
                    return piece
                }
                do {
                    let tally = try await load.run(reading: read) { results in
                        try await writer.write(results.flatMap(\.line))
                    }
                    try await writer.write(tally.line)
                } catch let stopped as LayoutImport.Stopped {
                    try await writer.write(stopped.octets)
                }
            }
        }
    }

    private static func lines(
        of call: Call, _ write: @escaping @Sendable (any ContentWriter) async throws -> Void
    ) -> Response {
        var fields = Fields()
        fields.append(name: "Content-Type", value: call.route.produces)
        fields.append(name: "Cache-Control", value: "no-store")
        // nginx would collect the lines until its buffer is full.
        fields.append(name: "X-Accel-Buffering", value: "no")
        var response = Response(
            .ok, fields: fields,
            content: .stream { writer in
                try await withTaskExecutorPreference(globalConcurrentExecutor) { try await write(writer) }
            })
        response.omitsContent = call.request.method == .head
        return response
    }
}

extension Call {
    /// The user after whom an export goes on.
    fileprivate func exportStart() throws -> UserID? {
        guard let text = text("after") else { return nil }
        guard let user = UserID(stored: text) else {
            throw Problem.invalidParameter("after", "'after' is the userId of the last line that arrived.")
        }
        return user
    }
}
