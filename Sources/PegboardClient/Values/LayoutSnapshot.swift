public import Foundation
import LayoutModel

/// A layout as the server gave it.
public struct LayoutSnapshot: Hashable, Sendable, Codable {
    public var userId: String
    /// Rises by one with each change; 0 for a user who never changed anything.
    public var version: Int64
    /// Whether the user has a list of their own, or follows the defaults.
    public var customized: Bool
    /// Frozen by support.
    public var locked: Bool
    /// RFC 3339; nil for version 0.
    public var updatedAt: String?
    public var catalogRevision: Int
    public var favorites: [String]
    /// For `If-Match`; nil where the layout came without one (in an event, or inside a problem).
    public var tag: EntityTag?
    /// Who made this version, where the server says so.
    public var origin: String?

    public init(
        userId: String, version: Int64, customized: Bool, locked: Bool = false, updatedAt: String? = nil,
        catalogRevision: Int, favorites: [String], tag: EntityTag? = nil, origin: String? = nil
    ) {
        self.userId = userId
        self.version = version
        self.customized = customized
        self.locked = locked
        self.updatedAt = updatedAt
        self.catalogRevision = catalogRevision
        self.favorites = favorites
        self.tag = tag
        self.origin = origin
    }

    /// When this version was made.
    public var updated: Date? {
        updatedAt.flatMap {
            try? Date($0, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
        }
    }

    /// Whether it tells something that `other` does not: a later version, or the same under a later catalog.
    func isNewer(than other: LayoutSnapshot) -> Bool {
        (version, catalogRevision) > (other.version, other.catalogRevision)
    }
}

/// The value of an `ETag` field, quotes included, as the server gave it.
public struct EntityTag: RawRepresentable, Hashable, Sendable, Codable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What became of one operation of a request.
public struct OperationOutcome: Hashable, Sendable, Codable {
    /// `move`, `add` or `remove`.
    public var op: String
    public var id: String?
    /// What was carried over of a block.
    public var ids: [String]?
    /// `applied`, `unchanged`, `skipped` or `anchor_substituted`.
    public var result: String
    /// Why it was skipped: `item_absent`, `anchor_absent`.
    public var reason: String?
    /// The place used instead of the one named.
    public var at: FavoritesOperation.Placement?
    /// What of a block is gone.
    public var absent: [String]?
}

/// The answer to a write.
public struct LayoutChange: Sendable, Codable {
    public var layout: LayoutSnapshot
    public var changed: Bool
    /// The version on which the change was made, where the layout had moved on since.
    public var rebasedFrom: Int64?
    public var outcomes: [OperationOutcome]
    /// What a reversion could not bring back.
    public var missing: [String]?
    /// Whether the server had answered this request before (`Idempotency-Replayed`).
    public var isReplay = false

    private enum CodingKeys: String, CodingKey { case layout, changed, rebasedFrom, outcomes, missing }
}
