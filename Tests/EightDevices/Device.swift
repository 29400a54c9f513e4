import Foundation
import LayoutTesting
import PegboardClient

/// One device: the library as an app would hold it, and a user who edits at random. Four of the eight edit through a
/// `FavoritesEditor`, as behind a collection view, the others give operations to the queue.
@MainActor final class Device {
    let name: String
    let queue: OfflineQueue
    private let editor: FavoritesEditor?
    private let transport: RecordingTransport
    private let record: Record
    /// What no other device adds or removes: of these it is known in the end whether they have to be there.
    private let own: [String]
    private var edits = 0
    private var running: Task<Void, Never>?

    private static let shared = (0..<8).map { "shared-\($0)" }

    init(_ number: Int, run: Int, url: URL, user: String, folder: URL, record: Record) throws {
        name = "device-\(number)"
        own = (0..<2).map { "own-\(number)-\($0)" }
        self.record = record
        transport = RecordingTransport(device: name, record: record)
        let backoff = Backoff(base: .milliseconds(10), limit: .milliseconds(200))
        var settings = PegboardClient.Settings()
        settings.backoff = backoff
        settings.timeout = .seconds(10)
        let client = PegboardClient(
            baseURL: url, user: user, identity: ClientIdentity(appVersion: "10.3.1", device: name),
            transport: transport, settings: settings)
        queue = try OfflineQueue(
            client: client, storage: FileQueueStorage(folder: folder.appending(path: name)), backoff: backoff)
        editor = number < 4 ? FavoritesEditor(queue: queue) : nil
        running = Task { [queue] in await queue.run() }
    }

    isolated deinit { running?.cancel() }

    var isOnline: Bool {
        get { transport.isOnline }
        set {
            transport.isOnline = newValue
            if newValue { queue.resume() }
        }
    }

    /// What the user sees; empty until the first list came.
    var shown: [String] {
        guard let editor else { return queue.favorites ?? [] }
        return editor.sections.first?.cells.map(\.function) ?? []
    }

    private enum Edit {
        case move(String, Int)
        case add(String, Int?)
        case remove(String)

        var words: (op: String, id: String) {
            switch self {
            case .move(let id, _): ("move", id)
            case .add(let id, _): ("add", id)
            case .remove(let id): ("remove", id)
            }
        }
    }

    /// - Returns: whether there was something to edit.
    func edit(using dice: inout SplitMix64) -> Bool {
        let list = shown
        guard list.count > 1 else { return false }
        edits += 1
        let edit = choose(from: list, using: &dice)
        var line = Record.Line(what: .intent, device: name, edit: edits, op: edit.words.op, id: edit.words.id)
        record.write(line)
        do { try make(edit, on: list) } catch { line.refused = (error as? Refusal)?.code.rawValue ?? "\(error)" }
        line.what = .made
        record.write(line)
        return true
    }

    private func choose(from list: [String], using dice: inout SplitMix64) -> Edit {
        let slot = Int.random(in: 0..<list.count, using: &dice)
        if Int.random(in: 0..<5, using: &dice) < 2 { return .move(list.randomElement(using: &dice)!, slot) }
        let id = (Bool.random(using: &dice) ? own : Self.shared).randomElement(using: &dice)!
        if list.contains(id) { return .remove(id) }
        return .add(id, Bool.random(using: &dice) ? slot : nil)
    }

    private func make(_ edit: Edit, on list: [String]) throws {
        if let editor { return try make(edit, in: editor) }
        switch edit {
        case .move(let id, let slot): try queue.edit([.move(id, to: .index(slot))], madeOn: list)
        case .add(let id, let slot): try queue.edit([.add(id, at: slot.map { .index($0) })], madeOn: list)
        case .remove(let id): try queue.edit([.remove(id)], madeOn: list)
        }
    }

    private func make(_ edit: Edit, in editor: FavoritesEditor) throws {
        switch edit {
        case .move(let id, let slot):
            guard let path = editor.indexPath(ofFavorite: id) else { return }
            try editor.moveItem(at: path, to: IndexPath(indexes: [0, slot]))
        case .add(let id, let slot): try editor.add(id, at: slot)
        case .remove(let id): try editor.remove(id)
        }
    }
}
