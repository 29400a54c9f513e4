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
        // A stream that outlived its token would show what nobody may see any more.
        let lifetime = call.principal.validUntil == .max ? nil : Duration.milliseconds(call.principal.validUntil - now)
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
        guard let text = request.fields.first("Last-Event-ID"), !text.isEmpty else { return nil }
        guard let version = Version(text), version >= 0 else {
            throw Problem(.malformedEventID, "Last-Event-ID is the id of an event that was received here: a version.")
        }
        return version
    }

    /// GET that answers when the tag is another one, or the time is up (RFC 7240 `wait`).
    func waitForLayout(_ call: Call, _ client: Client, seconds: Int) -> Answer {
        let spent = TimeSpent()
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
            }
        }
    }

    /// The seconds that `Prefer: wait=30` asks for; nil where it does not, or there is nothing to compare with.
    func preferredWait(of request: Request) -> Int? {
        guard request.method == .get, request.fields.contains("Prefer"), request.fields.contains("If-None-Match") else {
            return nil
        }
        for preference in request.fields.elements(of: "Prefer") {
            let parts = String(decoding: preference, as: UTF8.self).split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "wait", let seconds = Int(parts[1]), seconds > 0 else {
                continue
            }
            return min(seconds, Self.longestWait)
        }
        return nil
    }

    /// Proxies give up on a silent connection after a minute.
    private static let longestWait = 55
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
    private var seen: Version = 0
    private var tag: LayoutTag?

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
        try await catchUp(after: last)
        while true {
            let news = await watcher.next()
            switch isStillTaken() ? news : .end {
            case .change(let change): try await send(change)
            case .catalog: try await sendIfShaped()
            case .heartbeat: try await write(":\n\n")
            case .overflow: try await catchUp(after: seen)
            case .end:
                // Everybody comes back, but not in the same second.
                return try await write("retry: \(Int.random(in: 500...5_000))\n\n")
            }
        }
    }

    /// Sends what was missed since `last`, version by version; the current layout where that cannot be told.
    private mutating func catchUp(after last: Version?) async throws {
        let current = try await layouts.layout(of: client.user).layout
        guard let last else { return try await send(current, origin: "", as: "layout") }
        if last == current.version {
            seen = last
            tag = layouts.view(current, for: client).tag
            return
        }
        let revisions = try await layouts.revisions(of: client.user, below: nil, limit: .max)
        let missed = revisions.prefix { $0.layout.version > last }
        // The one that was seen is still there, so nothing between it and now is gone.
        let isWhole =
            revisions.dropFirst(missed.count).first?.layout.version == last
            || last == 0 && missed.last?.layout.version == 1
        guard last < current.version, isWhole else { return try await send(current, origin: "", as: "resync") }
        for revision in missed.reversed() {
            try await send(revision.layout, origin: revision.origin, as: "layout")
        }
    }

    private mutating func send(_ change: ChangeFeed.Change) async throws {
        // An erased user begins anew: what the client holds is of no version any more.
        if change.layout.version < seen, change.layout == .never {
            return try await send(change.layout, origin: change.origin, as: "resync")
        }
        // What another server committed in between was not told.
        if change.layout.version > seen + 1 { return try await catchUp(after: seen) }
        if change.layout.version > seen { try await send(change.layout, origin: change.origin, as: "layout") }
    }

    /// After a new catalog: the same version, where it shows another list now.
    private mutating func sendIfShaped() async throws {
        let current = try await layouts.layout(of: client.user).layout
        if layouts.view(current, for: client).tag != tag { try await send(current, origin: "", as: "layout") }
    }

    private mutating func send(_ stored: StoredLayout, origin: String, as event: String) async throws {
        let view = layouts.view(stored, for: client)
        seen = stored.version
        tag = view.tag
        var json = JSONWriter()
        json.layout(view, origin: origin)
        try await writer.write(
            Array("id: \(stored.version)\nevent: \(event)\ndata: ".utf8) + json.octets + Array("\n\n".utf8))
    }

    private func write(_ text: String) async throws { try await writer.write(Array(text.utf8)) }
}
