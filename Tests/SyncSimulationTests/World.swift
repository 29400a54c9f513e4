import Foundation
import LayoutApplication
import LayoutModel
import LayoutTesting
import Locking
import PegboardClient

/// Plays a schedule, and holds the promises against all that happens.
final class World {
    private let schedule: Schedule
    private let server: Server
    private var devices: [Device] = []
    private var sent: [String: Int] = [:]
    private var isLocked = false
    private var trace: [() -> String] = []

    private init(_ schedule: Schedule) async throws {
        self.schedule = schedule
        server = try await Server(historyKept: schedule.historyKept)
        try await server.publish(Self.catalog(0))
        let catalog = try Self.read(server.catalogs.current.document)
        devices = (0..<schedule.devices).map { Device($0, server: server, catalog: catalog, seed: schedule.seed) }
    }

    /// Every schedule begins with the same catalog; reading it for each device of each would be a third of the time.
    private static let first = Mutex<CatalogSnapshot?>(nil)

    private static func read(_ document: [UInt8]) throws -> CatalogSnapshot {
        try first.withLock { first in
            if let first, first.document.elementsEqual(document) { return first }
            let catalog = try CatalogSnapshot(document: Data(document))
            first = catalog
            return catalog
        }
    }

    struct Failure: Error {
        var reason: String
        var trace: [String]
    }

    /// - Throws: `Failure` with what happened up to it.
    static func play(_ schedule: Schedule) async throws {
        let world = try await World(schedule)
        do {
            for device in world.devices { try await device.settle() }
            for action in schedule.actions { try await world.play(action) }
            try await world.comeToRest()
        } catch {
            throw Failure(reason: "\(error)", trace: world.trace.map { $0() })
        }
    }

    private func play(_ action: Schedule.Action) async throws {
        let device = devices[action.device % devices.count]
        let happened = try await happen(action, to: device)
        if let happened { trace.append { "\(device.name): \(happened.text())" } }
        try checkCommits()
    }

    private func happen(_ action: Schedule.Action, to device: Device) async throws -> Words? {
        switch action.kind {
        case .edit: return try device.edit(action.pick)
        case .step(let fate):
            device.network.fate = fate
            guard let did = try await device.step() else { return nil }
            return Words("\(did.text()) (\(fate.rawValue))")
        case .lateRequest:
            try await device.network.deliverLate(Int(action.pick % 1_024))
            return Words("a request of earlier arrives")
        case .tick: device.tick()
        case .goOffline: device.network.isOnline = false
        case .comeBack: device.network.isOnline = true
        case .kill:
            try device.kill(keepsCatalog: action.pick % 4 > 0)
            return Words("is killed and started again")
        case .event: return try await device.event()
        case .restartServer:
            try await server.restart()
            return Words("the server restarts")
        case .publish:
            try await server.publish(Self.catalog(action.pick))
            return Words("a catalog is published: \(Self.describe(Self.catalog(action.pick)))")
        case .lock:
            isLocked.toggle()
            try await server.lock("u", isLocked)
            let isLocked = isLocked
            return Words(isLocked ? "support locks the layout" : "support unlocks the layout")
        }
        return nil
    }

    /// Each request was carried out at most once, and each change is what its own operations say: nothing came or went
    /// beside them, whatever was repeated, late or made on an old list.
    private func checkCommits() throws {
        for commit in server.takeCommits() {
            let after = commit.after.favorites ?? []
            guard Set(after).count == after.count else { throw Broken("an id is doubled: \(after)") }
            guard let key = commit.key else { continue }
            sent[key, default: 0] += 1
            guard sent[key] == 1 else { throw Broken("\(key) was carried out twice") }
            guard let sealed = devices.lazy.compactMap({ $0.operations(of: key) }).first else {
                throw Broken("\(key) came from nowhere")
            }
            let catalog = server.catalogs.catalog
            let before = Layout(healing: commit.before.favorites, catalog: catalog, client: devices[0].view).favorites
            let now = Layout(healing: after, catalog: catalog, client: devices[0].view).favorites
            for id in now where !before.contains(id) && !sealed.contains(where: { $0.adds(id.text) }) {
                throw Broken("\(key) \(sealed) brought \(id) back into \(before): \(now)")
            }
            for id in before where !now.contains(id) && !sealed.contains(where: { $0.removes(id.text) }) {
                throw Broken("\(key) \(sealed) lost \(id) from \(before): \(now)")
            }
        }
    }

    /// The network heals, what was late arrives, and everybody sees the same.
    private func comeToRest() async throws {
        for device in devices { try await device.settle() }
        let wasLate = devices.contains { !$0.network.late.isEmpty }
        for device in devices {
            while !device.network.late.isEmpty { try await device.network.deliverLate(0) }
        }
        try checkCommits()
        // Once more: the first to come to rest has not seen what the others sent.
        for device in wasLate ? devices : devices.dropLast() { try await device.settle() }
        try checkCommits()
        let list = try await server.favorites(for: devices[0].view)
        for device in devices {
            guard device.machine.sync.pendingCount == 0 else { throw Broken("\(device.name) has edits left at rest") }
            guard device.favorites == list else {
                throw Broken("\(device.name) shows \(device.favorites ?? []), the server has \(list)")
            }
        }
    }

    // MARK: Catalogs

    /// Seven functions, and by chance some of what a catalog can say about them.
    static func catalog(_ pick: UInt64) -> CatalogDraft {
        var dice = Dice(seed: pick)
        var draft = CatalogDraft()
        let letters = ["a", "b", "c", "d", "e", "f", "g"]
        draft.functions = letters.map { .init(id: $0, title: Title(["en": $0])) }
        draft.defaults = ["a", "b", "c", "d"]
        draft.policy.limit = 4 + dice.roll(4)
        draft.policy.minimum = dice.roll(3)
        func any(_ change: (inout CatalogDraft.Function) -> Void) { change(&draft.functions[dice.roll(letters.count)]) }
        if dice.roll(2) == 0 { any { $0.pin = 0 } }
        if dice.roll(3) == 0 { any { if $0.pin == nil { $0.pin = 2 } } }
        if dice.roll(3) == 0 { any { $0.isMovable = false } }
        if dice.roll(3) == 0 { any { $0.isRemovable = false } }
        if dice.roll(4) == 0 { any { $0.isRequired = true } }
        if dice.roll(3) == 0 { any { $0.status = "retired" } }
        if dice.roll(4) == 0 {
            let gone = draft.functions.remove(at: dice.roll(letters.count)).id
            draft.defaults.removeAll { $0 == gone }
        }
        return draft
    }

    private static func describe(_ draft: CatalogDraft) -> String {
        draft.functions.map { function in
            var text = function.id
            if let pin = function.pin { text += "@\(pin)" }
            if !function.isMovable { text += " fixed" }
            if !function.isRemovable { text += " kept" }
            if function.isRequired { text += " required" }
            if function.status != "active" { text += " retired" }
            return text
        }.joined(separator: ", ") + "; \(draft.policy.minimum) to \(draft.policy.limit)"
    }
}

extension FavoritesOperation {
    fileprivate func adds(_ id: String) -> Bool { if case .add(id, _) = self { true } else { false } }
    fileprivate func removes(_ id: String) -> Bool { if case .remove(id) = self { true } else { false } }
}
