public import Foundation

/// Where a favorite may be dragged.
public struct DragTargetsAnswer: Sendable, Codable {
    public var canMove: Bool
    public var slots: [Int]
    public var corrected: Int?
    public var refusal: PageRefusal?
}

/// A refusal as it stands beside a cell.
public struct PageRefusal: Sendable, Codable, Hashable {
    public var code: Refusal.Code
    public var title: String
    public var params: [String: Refusal.Parameter]?
}

/// The composed page, as the server words it.
public struct PageSnapshot: Sendable, Codable {
    public var userId: String
    public var layoutVersion: Int64
    public var catalogRevision: Int
    public var locale: String
    public var limit: Int
    public var minimum: Int
    public var locked: Bool
    public var sections: [Section]
    /// The slots that are taken for good, and by what.
    public var pins: [String: String]

    public struct Section: Sendable, Codable {
        public var id: String
        public var title: String
        public var policy: Policy
        public var cells: [Cell]
    }

    public struct Policy: Sendable, Codable, Hashable {
        public var canMove: Bool
        public var canAdd: Bool
        public var canRemove: Bool
    }

    public struct Cell: Sendable, Codable, Hashable {
        public var id: String
        public var title: String
        public var icon: String?
        public var link: String?
        public var badge: Badge
        public var canMove: Bool?
        public var canRemove: Bool?
        public var refusal: PageRefusal?
    }
}

/// One version in the history.
public struct LayoutRevision: Sendable, Codable {
    public var version: Int64
    public var kind: String?
    public var origin: String?
    public var updatedAt: String?
    public var favorites: [String]?
}

public struct LayoutRevisions: Sendable, Codable {
    /// Newest first.
    public var revisions: [LayoutRevision]
    /// Ask for the next page with it; nil on the last one.
    public var nextPageToken: String?
}

extension PegboardClient {
    public func targets(of id: String, proposed: Int? = nil) async throws -> DragTargetsAnswer {
        var call = Call(path: path("layout", "favorites", Self.encoded(id), "targets"), query: clientQuery)
        if let proposed { call.query.append(("proposed", String(proposed))) }
        return try await send(call).0
    }

    public func page() async throws -> PageSnapshot {
        try await send(Call(path: path("page"), query: clientQuery)).0
    }

    public func catalog() async throws -> CatalogSnapshot {
        try CatalogSnapshot(document: try await send(Call(path: "/v1/catalog")).body)
    }

    public func catalog(revision: Int) async throws -> CatalogSnapshot {
        try CatalogSnapshot(document: try await send(Call(path: "/v1/catalog/revisions/\(revision)")).body)
    }

    /// A page of the history, newest first.
    public func revisions(pageSize: Int = 50, pageToken: String? = nil) async throws -> LayoutRevisions {
        var call = Call(path: path("layout", "revisions"), query: [("pageSize", String(pageSize))])
        if let pageToken { call.query.append(("pageToken", pageToken)) }
        return try await send(call).0
    }

    /// One version of the history: 410 where it is not kept any more.
    public func revision(_ version: Int64) async throws -> LayoutRevision {
        try await send(Call(path: path("layout", "revisions", String(version)))).0
    }

    /// The layout's changes as they happen.
    ///
    /// - Parameter version: the last one that is known; what came after it is told first, and it itself where the catalog shapes
    ///   its list.
    public func events(after version: Int64? = nil) -> LayoutEvents { LayoutEvents(client: self, lastVersion: version) }

    func layoutEvent(_ event: EventParser.Event) throws -> LayoutEvent? {
        let kind: LayoutEvent.Kind
        switch event.name {
        case "layout": kind = .change
        case "resync": kind = .resync
        // A later server may tell more.
        default: return nil
        }
        let layout = try JSONDecoder().decode(LayoutSnapshot.self, from: Data(event.data.utf8))
        return LayoutEvent(kind: kind, layout: layout, isOwn: layout.origin.map(identity.made) ?? false)
    }

    /// Everything that is held about the user, as JSON.
    public func exportUser() async throws -> Data { try await send(Call(path: path())).body }

    /// Erases everything that is held about the user: the layout, its history, the idempotency records. There is no way back.
    public func eraseUser() async throws {
        var call = Call(method: "DELETE", path: path())
        call.key = settings.makeKey()
        _ = try await send(call)
        removeCachedAnswers()
    }
}
