import Foundation
import Locking
import PegboardClient

/// A file that can be looked at, copied and made to fail.
final class MemoryStorage: QueueStorage {
    private let state: Mutex<(items: [QueueItem: Data], isFull: Bool)>

    init(_ items: [QueueItem: Data] = [:]) { state = Mutex((items, false)) }

    struct Full: Error {}

    var items: [QueueItem: Data] { state.withLock { $0.items } }
    func fill(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    func read(_ item: QueueItem) -> Data? { items[item] }

    func replace(_ item: QueueItem, with data: Data) throws {
        try state.withLock { state in
            if state.isFull { throw Full() }
            state.items[item] = data
        }
    }

    func setAside(_ item: QueueItem) { state.withLock { $0.items[item] = nil } }
}

/// A layout service of one list that knows operations by id, and keys: enough to see what a queue sends.
final class StandInServer: Sendable {
    private struct State {
        var version = 1
        var favorites = ["a", "b", "c", "d"]
        var catalog = catalogJSON()
        var answers: [String: String] = [:]
        var isDown = false
        var losesAnswers = false
        var next: TransportResponse?
    }
    private let state = Mutex(State())
    let transport = StandInTransport()

    init() { transport.answer { [self] in try answer($0) } }

    var favorites: [String] { state.withLock { $0.favorites } }
    var writes: [TransportRequest] { transport.requests.filter { $0.method == "POST" } }

    func set(down: Bool) { state.withLock { $0.isDown = down } }
    func set(losesAnswers: Bool) { state.withLock { $0.losesAnswers = losesAnswers } }
    func set(catalog: String) { state.withLock { $0.catalog = catalog } }
    /// What the next write is answered, instead of being carried out.
    func refuse(_ response: TransportResponse) { state.withLock { $0.next = response } }

    func erase(to defaults: [String]) { setBack(to: defaults, version: 0) }

    func setBack(to favorites: [String], version: Int) {
        state.withLock { state in
            state.favorites = favorites
            state.version = version
        }
    }

    /// Another device.
    func change(to favorites: [String]) {
        state.withLock { state in
            state.favorites = favorites
            state.version += 1
        }
    }

    func answer(_ request: TransportRequest) throws -> TransportResponse {
        try state.withLock { state in
            if state.isDown { throw URLError(.notConnectedToInternet) }
            let path = request.url.path
            if path == "/v1/catalog" { return json(state.catalog, tag: "\"1\"") }
            if request.method == "GET" {
                let tag = "\"\(state.version)\""
                if request["If-None-Match"] == tag { return TransportResponse(status: 304) }
                return json(layoutJSON(state.version, state.favorites), tag: tag)
            }
            if let next = state.next {
                state.next = nil
                return next
            }
            let key = request["Idempotency-Key"] ?? ""
            if state.answers[key] == nil { state.answers[key] = try Self.carryOut(request, &state) }
            if state.losesAnswers { throw URLError(.networkConnectionLost) }
            return json(state.answers[key] ?? "", tag: "\"\(state.version)\"")
        }
    }

    private static func carryOut(_ request: TransportRequest, _ state: inout State) throws -> String {
        struct Content: Decodable { var operations: [FavoritesOperation] }
        let content = try JSONDecoder().decode(Content.self, from: request.body ?? Data())
        for operation in content.operations {
            state.favorites.removeAll { operation.ids.contains($0) }
            switch operation {
            case .move(let ids, let place): insert(ids, place, &state.favorites)
            case .add(let id, let place): insert([id], place ?? .last, &state.favorites)
            case .remove: break
            }
        }
        state.version += 1
        let outcomes = content.operations.map { _ in #"{"op":"move","result":"applied"}"# }.joined(separator: ",")
        return #"{"layout":\#(layoutJSON(state.version, state.favorites)),"changed":true,"outcomes":[\#(outcomes)]}"#
    }

    private static func insert(_ ids: [String], _ place: FavoritesOperation.Placement, _ list: inout [String]) {
        let index =
            switch place {
            case .index(let index): index
            case .first: 0
            case .last: list.count
            case .before(let id): list.firstIndex(of: id) ?? list.count
            case .after(let id): (list.firstIndex(of: id) ?? list.count - 1) + 1
            }
        list.insert(contentsOf: ids, at: index)
    }
}

func makeQueue(_ server: StandInServer, _ storage: any QueueStorage = MemoryStorage()) throws -> OfflineQueue {
    try OfflineQueue(
        client: makeClient(server.transport, attempts: 1), storage: storage,
        backoff: Backoff(base: .zero, limit: .zero))
}
