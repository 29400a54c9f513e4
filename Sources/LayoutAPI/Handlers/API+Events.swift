import HTTP1
import LayoutApplication
import LayoutModel
import Metrics

extension API {
    /// Server-sent events (WHATWG HTML §9.2): every new version of the layout, from the one that the client saw last.
    func streamEvents(_ call: Call) throws -> Answer {
        let client = try call.client()
        let last = try lastEventID(of: call.request)
        let isStillTaken = try settings.authentication.standing(of: call.request)
        let lifetime = lifetime(of: call.principal)
        var fields = Fields()
        fields.append(name: "Content-Type", value: "text/event-stream")
        fields.append(name: "Cache-Control", value: "no-store")
        // nginx would collect the events until its buffer is full.
        fields.append(name: "X-Accel-Buffering", value: "no")
        var response = Response(
            .ok, fields: fields,
            content: .stream { [self] writer in
                metrics.streams.add(1)
                defer { metrics.streams.add(-1) }
                var stream = EventStream(
                    layouts: layouts, client: client, isStillTaken: isStillTaken, writer: writer)
                try await stream.run(after: last, for: lifetime)
            })
        response.omitsContent = call.request.method == .head
        return .now(response)
    }

    private func lastEventID(of request: Request) throws -> Version? {
        let values = request.fields.values(of: "Last-Event-ID")
        guard let text = values.first, values.count > 1 || !text.isEmpty else { return nil }
        guard values.count == 1, let version = Call.number(text) else {
            throw Problem(
                .malformedEventID,
                "Last-Event-ID is the id of an event that was received here, once: a version, such as 7.")
        }
        return Version(version)
    }

    /// GET that answers when the tag is another one, or the time is up (RFC 7240 `wait`).
    func waitForLayout(_ call: Call, _ client: Client, seconds: Int) -> Answer {
        let spent = TimeSpent()
        // Like a stream, it does not outlive its token.
        let seconds = lifetime(of: call.principal).map { min(seconds, Int($0.components.seconds)) } ?? seconds
        return later(call, spent) { [self] in
            let began = ContinuousClock.now
            let watcher = layouts.watch(client.user)
            let timer = Task {
                try await Task.sleep(for: .seconds(seconds))
                watcher.end()
            }
            metrics.waits.add(1)
            defer {
                metrics.waits.add(-1)
                spent.waited(since: began)
                timer.cancel()
                watcher.end()
            }
            while true {
                let entry = try await layouts.layout(of: client.user)
                let response = try answer(call, with: entry, for: client).applying(wait: seconds)
                guard response.status == .notModified else { return response }
                if case .end = await watcher.next() { return response }
                // The keys, or the admin's line, that it was let in by may be gone by now.
                _ = try settings.authentication.principal(of: call.request, access: call.route.access)
            }
        }
    }

    /// How long an answer may go on: one that outlived its token would show what nobody may see any more. nil for as long as
    /// somebody listens.
    private func lifetime(of principal: Principal) -> Duration? {
        principal.validUntil == .max ? nil : .milliseconds(max(0, principal.validUntil - now))
    }
}

extension Response {
    fileprivate func applying(wait seconds: Int) -> Response {
        var response = self
        response.fields.append(name: "Preference-Applied", value: "wait=\(seconds)")
        return response
    }
}

/// One open stream: a watcher on one side, a connection on the other.
private struct EventStream {
    let layouts: LayoutService
    let client: Client
    /// Whether the token that it was asked for with is.
    let isStillTaken: @Sendable () -> Bool
    let writer: any ContentWriter
    private var seen: Seen?

    /// What the client has. Of what it was sent before this stream the version alone is known, and not as which list.
    private struct Seen {
        let version: Version
        var tag: LayoutTag?
    }

    init(
        layouts: LayoutService, client: Client, isStillTaken: @escaping @Sendable () -> Bool, writer: any ContentWriter
    ) {
        self.layouts = layouts
        self.client = client
        self.isStillTaken = isStillTaken
        self.writer = writer
    }

    /// - Parameter lifetime: how long at most; nil for as long as somebody listens.
    mutating func run(after last: Version?, for lifetime: Duration?) async throws {
        // First watch, then read: what is committed in between comes twice, and is sent once.
        let watcher = layouts.watch(client.user)
        let timer = lifetime.map { lifetime in
            Task {
                try await Task.sleep(for: lifetime)
                watcher.end()
            }
        }
        defer {
            timer?.cancel()
            watcher.end()
        }
        try await write("retry: 2000\n\n")
        try await catchUp(after: last.map { Seen(version: $0) })
        while true {
            let news = await watcher.next()
            switch isStillTaken() ? news : .end {
            case .change(let change): try await send(change)
            case .catalog, .overflow: try await catchUp(after: seen)
            case .heartbeat: try await write(":\n\n")
            case .end:
                // Everybody comes back, but not in the same second.
                return try await write("retry: \(Int.random(in: 500...5_000))\n\n")
            }
        }
    }

    /// Sends what was missed since `last`, version by version; the current layout where that cannot be told, and where a
    /// catalog shapes, or may have shaped, the same version into another list.
    private mutating func catchUp(after last: Seen?) async throws {
        let current = try await layouts.layout(of: client.user).layout
        guard let last else { return try await send(current, origin: "", as: "layout") }
        seen = last
        if last.version == current.version {
            let view = layouts.view(current, for: client)
            // Under the first catalog there was no other list. Else rather once too often than a device that stays behind.
            let isSeen = last.tag.map { $0 == view.tag } ?? (view.layout.catalog.layoutRevision == 1)
            if !isSeen { try await send(current, origin: "", as: "layout") }
            return
        }
        let revisions = try await layouts.revisions(of: client.user, below: nil, limit: .max)
        let missed = revisions.prefix { $0.layout.version > last.version }
        // The one that was seen is still there, so nothing between it and now is gone.
        let isWhole =
            revisions.dropFirst(missed.count).first?.layout.version == last.version
            || last.version == 0 && missed.last?.layout.version == 1
        guard last.version < current.version, isWhole else {
            return try await send(current, origin: "", as: "resync")
        }
        for revision in missed.reversed() {
            try await send(revision.layout, origin: revision.origin, as: "layout")
        }
    }

    private mutating func send(_ change: ChangeFeed.Change) async throws {
        let version = change.layout.version
        let last = seen?.version ?? 0
        if version == last + 1 { return try await send(change.layout, origin: change.origin, as: "layout") }
        // What another server committed in between was not told; and an erased user begins anew. Anything else was sent
        // already, out of the history.
        if version > last || change.layout == .never { try await catchUp(after: seen) }
    }

    private mutating func send(_ stored: StoredLayout, origin: String, as event: String) async throws {
        let view = layouts.view(stored, for: client)
        seen = Seen(version: stored.version, tag: view.tag)
        var json = JSONWriter()
        json.layout(view, origin: origin)
        try await writer.write(
            Array("id: \(stored.version)\nevent: \(event)\ndata: ".utf8) + json.octets + Array("\n\n".utf8))
    }

    private func write(_ text: String) async throws { try await writer.write(Array(text.utf8)) }
}
