import HTTP1
import LayoutAPI
import LayoutApplication
import LayoutModel
import LayoutTesting
import Locking
import Testing

/// The whole API over a store in memory, without a socket: what a request answers, its clock, and its log.
final class TestService: Sendable {
    let store: any LayoutStore
    let api: API
    let health = Health()
    let feed = ChangeFeed()
    private let clock: TestClock
    private let log = TestLog()

    /// With `catalog` published as revision 1; before any was published for nil.
    init(
        catalog: String? = catalogText(), store: any LayoutStore = InMemoryLayoutStore(),
        configure: (inout API.Settings) -> Void = { _ in }
    ) async throws {
        self.store = store
        let clock = TestClock()
        let log = log
        self.clock = clock
        let catalogs = try await CatalogService(store: store, coding: .json, clock: { clock.now })
        let layouts = LayoutService(store: store, catalogs: catalogs, feed: feed, clock: { clock.now })
        var settings = API.Settings(clock: { clock.now })
        settings.log = { log.append($0) }
        settings.uptime = { clock.uptime }
        configure(&settings)
        api = API(layouts: layouts, catalogs: catalogs, health: health, settings: settings)
        if let catalog { try await publish(catalog) }
    }

    /// As above, and user `u1` with the favorites `list` as version 1.
    convenience init(
        _ list: String, catalog: String = catalogText(), configure: (inout API.Settings) -> Void = { _ in }
    ) async throws {
        try await self.init(catalog: catalog, configure: configure)
        try await store(list)
    }

    var exchanges: [Exchange] { log.exchanges }

    /// By the clock that requests are timed by.
    var uptime: Instant { clock.uptime }

    func advance(milliseconds: Int64) { clock.advance(by: milliseconds) }

    /// Puts a layout into the store as the next version, past all rules.
    func store(_ list: String?, for user: String = "u1", locked: Bool = false) async throws {
        let favorites = list.map { $0.split(separator: " ").compactMap { FunctionID($0) } }
        let user = try #require(UserID(user))
        let now = clock.now
        _ = try await store.update(user, request: nil) { transaction in
            let layout = StoredLayout(
                favorites: favorites, version: transaction.current.version + 1, locked: locked, updatedAt: now)
            return Decision(change: LayoutChange(layout: layout, kind: .import), value: ())
        }
    }

    func lock(_ isLocked: Bool, for user: String = "u1") async throws {
        let user = try #require(UserID(user))
        let now = clock.now
        _ = try await store.update(user, request: nil) { transaction in
            var layout = transaction.current
            layout.version += 1
            layout.locked = isLocked
            layout.updatedAt = now
            return Decision(change: LayoutChange(layout: layout, kind: .lock), value: ())
        }
    }

    @discardableResult
    func publish(_ catalog: String) async throws -> Reply {
        let tag = try #require(try await send(.get, "/v1/catalog").tag)
        let reply = try await send(.put, "/v1/catalog", ["If-Match": tag], catalog)
        try #require(reply.status == 200, "\(reply.text)")
        return reply
    }

    /// Sends one request. Content is said to be JSON unless the fields say otherwise.
    func send(
        _ method: Method, _ target: String, _ fields: KeyValuePairs<StaticString, String> = [:],
        _ content: String? = nil
    ) async throws -> Reply {
        try await send(method, target, fields, octets: content.map { Array($0.utf8) })
    }

    func send(
        _ method: Method, _ target: String, _ fields: KeyValuePairs<StaticString, String>, octets: [UInt8]?
    ) async throws -> Reply {
        var lines = Fields()
        for (name, value) in fields { lines.append(name: name, value: value) }
        if octets != nil, !lines.contains("Content-Type") {
            lines.append(name: "Content-Type", value: "application/json")
        }
        return Reply(await respond(to: try Request(method, target, fields: lines, content: octets ?? [])))
    }

    func respond(to request: Request) async -> Response { await api.answer(request).response }
}

extension TestService {
    func get(_ target: String, _ fields: KeyValuePairs<StaticString, String> = [:]) async throws -> Reply {
        try await send(.get, target, fields)
    }

    /// `GET /v1/users/u1/layout`
    func layout(_ user: String = "u1") async throws -> Reply { try await send(.get, "/v1/users/\(user)/layout") }

    /// `POST /v1/users/u1/layout/operations` with these operations.
    func operations(
        _ operations: String, _ fields: KeyValuePairs<StaticString, String> = [:], base: Int? = nil, query: String = ""
    ) async throws -> Reply {
        let version = base.map { #""baseVersion": \#($0), "# } ?? ""
        return try await send(
            .post, "/v1/users/u1/layout/operations\(query)", fields, #"{\#(version)"operations": [\#(operations)]}"#)
    }

    /// `PUT /v1/users/u1/layout` with this list.
    func put(
        _ list: String, _ fields: KeyValuePairs<StaticString, String> = [:], base: Int? = nil, query: String = ""
    ) async throws -> Reply {
        let version = base.map { #", "baseVersion": \#($0)"# } ?? ""
        return try await send(
            .put, "/v1/users/u1/layout\(query)", fields, #"{"favorites": \#(jsonList(list))\#(version)}"#)
    }
}

/// Starts on 2026-11-30 at 08:00 UTC, and stands still.
final class TestClock: Sendable {
    private static let start: Timestamp = 1_796_025_600_000
    private let time = Mutex(TestClock.start)
    private let began = ContinuousClock.now

    /// Goes on, and is advanced with the other.
    var uptime: Instant {
        Instant(nanoseconds: began.duration(to: .now).nanoseconds + (now - Self.start) * 1_000_000)
    }

    var now: Timestamp { time.withLock { $0 } }
    func advance(by milliseconds: Timestamp) { time.withLock { $0 += milliseconds } }
}

private final class TestLog: Sendable {
    private let all = Mutex<[Exchange]>([])

    var exchanges: [Exchange] { all.withLock { $0 } }
    func append(_ exchange: Exchange) { all.withLock { $0.append(exchange) } }
}
