import Foundation
import PegboardClient
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One device: the library as an app would hold it, over a network that can be switched off.
@MainActor final class Device {
    let name: String
    let editor: FavoritesEditor
    private let queue: OfflineQueue
    private let network: Switch
    private var notes: [String] = []

    init(_ name: String, url: URL, user: String) throws {
        self.name = name
        network = Switch()
        let client = PegboardClient(
            baseURL: url, user: user, identity: ClientIdentity(appVersion: "10.3.1", device: name), transport: network)
        // An app gives a `FileQueueStorage` here, in a folder of this user.
        queue = try OfflineQueue(client: client, storage: NoQueueStorage())
        editor = FavoritesEditor(queue: queue)
        editor.didRebase = { [weak self] rebase in
            self?.notes += rebase.reports.map { "\($0.operation.ids.joined(separator: ", ")): \($0.result)" }
        }
    }

    var isOnline: Bool {
        get { network.isOn }
        set { network.isOn = newValue }
    }

    var favorites: [String] { editor.sections.first?.cells.map(\.function) ?? [] }

    var title: String {
        let waiting = queue.pendingCount
        return name + (isOnline ? "" : ", offline") + (waiting > 0 ? ", \(waiting) to send" : "")
    }

    func synchronize() async throws {
        try await queue.synchronize()
        // The queue tells the editor in its own time; here it is shown at once.
        for _ in 0..<100 where favorites != queue.favorites { try await Task.sleep(for: .milliseconds(5)) }
        for note in notes { print("  \(name): \(note)") }
        notes = []
    }

    func obey(_ words: [String]) async throws {
        let slots = words.dropFirst().compactMap(Int.init)
        switch (words[0], words.count) {
        case ("move", 3) where slots.count == 2:
            try editor.moveItem(at: IndexPath(indexes: [0, slots[0]]), to: IndexPath(indexes: [0, slots[1]]))
        case ("add", 2): try editor.add(words[1])
        case ("remove", 2): try editor.remove(words[1])
        case ("undo", 1): try editor.undo()
        case ("offline", 1): isOnline = false
        case ("online", 1): isOnline = true
        default: print("  not understood")
        }
        if isOnline { try await synchronize() }
    }
}

/// A network that can be switched off.
final class Switch: Transport {
    private let inner = URLSessionTransport(userAgent: "two-devices/1")
    private let state = Atomic(true)

    var isOn: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard isOn else { throw URLError(.notConnectedToInternet) }
        return try await inner.send(request)
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        guard isOn else { throw URLError(.notConnectedToInternet) }
        return try await inner.stream(request)
    }
}
