import Foundation

/// How a write is to be made.
public struct WriteOptions: Sendable {
    /// Give the answer that the write would give, and change nothing.
    public var validateOnly = false
    /// Tells a repeat from a new request. Every write has one; keep it to repeat the write after a restart.
    public var idempotencyKey: String?

    public init(validateOnly: Bool = false, idempotencyKey: String? = nil) {
        self.validateOnly = validateOnly
        self.idempotencyKey = idempotencyKey
    }
}

/// On what a write was decided.
public enum WriteBasis: Sendable, Hashable {
    /// The layout with this tag, and on no other: 412 where it has changed since.
    case tag(EntityTag)
    /// This version: where the layout has moved on, the change is carried over.
    case version(Int64)
}

extension PegboardClient {
    /// The layout as it is.
    public func layout() async throws -> LayoutSnapshot {
        try await snapshot(Call(path: path("layout"), query: clientQuery))
    }

    /// The layout once its tag is another than that of the last answer, or when the time is up.
    ///
    /// - Parameter wait: whole seconds, as `Prefer: wait=` has them.
    public func layout(waiting wait: Duration) async throws -> LayoutSnapshot {
        var call = Call(path: path("layout"), query: clientQuery)
        call.prefer = "wait=\(wait.components.seconds)"
        call.timeout = wait + settings.timeout
        return try await snapshot(call)
    }

    private func snapshot(_ call: Call) async throws -> LayoutSnapshot {
        var (layout, response) = try await send(call, as: LayoutSnapshot.self)
        layout.tag = response["ETag"].map(EntityTag.init)
        return layout
    }

    /// Makes `favorites` the whole list.
    public func replaceLayout(
        with favorites: [String], basis: WriteBasis, options: WriteOptions = .init()
    ) async throws -> LayoutChange {
        struct Content: Encodable {
            var favorites: [String]
            var baseVersion: Int64?
        }
        return try await write("PUT", path("layout"), options, basis) {
            try $0(Content(favorites: favorites, baseVersion: $1))
        }
    }

    /// Back to the defaults, as a new version.
    public func resetLayout(basis tag: EntityTag, options: WriteOptions = .init()) async throws -> LayoutChange {
        try await write("DELETE", path("layout"), options, .tag(tag))
    }

    /// Carries out operations in order, all or none; without a basis, on the list as it is.
    public func apply(
        _ operations: [FavoritesOperation], basis: WriteBasis? = nil, options: WriteOptions = .init()
    ) async throws -> LayoutChange {
        try await write("POST", path("layout", "operations"), options, basis) {
            try $0(OperationsContent(baseVersion: $1, operations: operations))
        }
    }

    /// Makes a function a favorite. For one that is there already nothing changes, or with a placement it is moved.
    public func putFavorite(
        _ id: String, at placement: FavoritesOperation.Placement? = nil, options: WriteOptions = .init()
    ) async throws -> LayoutChange {
        let path = path("layout", "favorites", Self.encoded(id))
        guard let placement else { return try await write("PUT", path, options) }
        return try await write("PUT", path, options) { encode, _ in try encode(["at": placement]) }
    }

    /// Takes a function out of the favorites. For one that is not there nothing changes.
    public func deleteFavorite(_ id: String, options: WriteOptions = .init()) async throws -> LayoutChange {
        try await write("DELETE", path("layout", "favorites", Self.encoded(id)), options)
    }

    /// Restores an earlier version as a new one. `missing` in the answer names what could not return.
    public func revert(
        to version: Int64, basis tag: EntityTag, options: WriteOptions = .init()
    ) async throws -> LayoutChange {
        try await write("POST", path("layout", "reversions"), options, .tag(tag)) { encode, _ in
            try encode(["toVersion": version])
        }
    }

    /// - Parameter content: gets an encoder, and the base version where the basis is one.
    private func write(
        _ method: String, _ path: String, _ options: WriteOptions, _ basis: WriteBasis? = nil,
        content: ((_ encode: (any Encodable) throws -> Data, _ baseVersion: Int64?) throws -> Data)? = nil
    ) async throws -> LayoutChange {
        var call = Call(method: method, path: path, query: clientQuery)
        if options.validateOnly { call.query.append(("validateOnly", "true")) }
        call.key = options.idempotencyKey ?? settings.makeKey()
        var baseVersion: Int64?
        switch basis {
        case .tag(let tag): call.match = tag
        case .version(let version): baseVersion = version
        case nil: break
        }
        call.body = try content?({ try JSONEncoder.canonical.encode($0) }, baseVersion)
        return try Self.change(try await send(call))
    }

    static func change(_ response: TransportResponse) throws -> LayoutChange {
        var change: LayoutChange = try decode(response)
        change.layout.tag = response["ETag"].map(EntityTag.init)
        change.isReplay = response["Idempotency-Replayed"] == "true"
        return change
    }
}

/// The content of `POST …/layout/operations`.
struct OperationsContent: Encodable {
    var baseVersion: Int64?
    var operations: [FavoritesOperation]
}

extension JSONEncoder {
    /// The same value is the same bytes: a repeated request must be the first one.
    static var canonical: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
