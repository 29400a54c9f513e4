import Foundation
import HTTP1
import LayoutAPI
import LayoutApplication
import LayoutModel
import LayoutTesting
import PegboardClient

/// The service in process, over a store that outlives it.
final class Server {
    let store: InMemoryLayoutStore
    private(set) var api: API
    private(set) var catalogs: CatalogService
    private var commits: [Commit] = []

    /// A new version, and the request that made it.
    struct Commit {
        var before: StoredLayout
        var after: StoredLayout
        var key: String?
    }

    init(historyKept: Int) async throws {
        store = InMemoryLayoutStore(historyKept: historyKept)
        (api, catalogs) = try await Self.start(on: store)
    }

    private static func start(on store: InMemoryLayoutStore) async throws -> (API, CatalogService) {
        let catalogs = try await CatalogService(store: store, coding: .json) { 0 }
        let layouts = LayoutService(store: store, catalogs: catalogs) { 0 }
        return (API(layouts: layouts, catalogs: catalogs, health: Health(), settings: .init { 0 }), catalogs)
    }

    /// As after kill -9: only what was committed is there.
    func restart() async throws { (api, catalogs) = try await Self.start(on: store) }

    func publish(_ draft: CatalogDraft) async throws {
        _ = try await catalogs.publish(draft, by: "simulation", if: .none)
    }

    /// The changes since the last call.
    func takeCommits() -> [Commit] {
        defer { commits = [] }
        return commits
    }

    /// Support freezes the layout of `user`, or gives it back.
    func lock(_ user: UserID, _ isLocked: Bool) async throws {
        let favorites = try await store.layout(of: user).layout.favorites
        try await store.put(favorites, locked: isLocked, of: user)
    }

    /// The list as a client of this user sees it.
    func favorites(for client: Client) async throws -> [String] {
        let stored = try await store.layout(of: client.user).layout
        return Layout(healing: stored.favorites, catalog: catalogs.catalog, client: client).favorites.map(\.text)
    }

    func answer(_ request: TransportRequest) async throws -> TransportResponse {
        var fields = Fields()
        if let value = request["Content-Type"] { fields.append(name: "Content-Type", value: value) }
        if let value = request["If-None-Match"] { fields.append(name: "If-None-Match", value: value) }
        if let value = request["If-Match"] { fields.append(name: "If-Match", value: value) }
        if let value = request["Idempotency-Key"] { fields.append(name: "Idempotency-Key", value: value) }
        if let value = request["Accept-Language"] { fields.append(name: "Accept-Language", value: value) }
        if let value = request["Pegboard-Client"] { fields.append(name: "Pegboard-Client", value: value) }
        let text = request.url.absoluteString
        let target = String(text[text.range(of: "/v1/")!.lowerBound...])
        let message = try Request(
            Method(rawValue: request.method) ?? .other, target, fields: fields, content: Array(request.body ?? Data()))
        let before = try await store.layout(of: "u").layout
        let response = await api.answer(message).response
        let after = try await store.layout(of: "u").layout
        if after.version != before.version {
            commits.append(
                Commit(before: before, after: after, key: request["Idempotency-Key"]?.replacing("\"", with: "")))
        }
        return TransportResponse(response)
    }
}

extension TransportResponse {
    fileprivate init(_ response: Response) {
        var headers: [String: String] = [:]
        for line in response.fields.lines {
            headers[String(decoding: response.fields.name(of: line), as: UTF8.self)] =
                String(decoding: response.fields.value(of: line), as: UTF8.self)
        }
        var body = Data()
        if case .bytes(let bytes) = response.content { body = Data(bytes) }
        self.init(status: response.status.code, headers: headers, body: body)
    }
}
