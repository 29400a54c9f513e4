import Foundation
import LayoutModel
import LayoutTesting
import PegboardClient

/// A promise that was not kept.
struct Broken: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

/// What happened, worded only when somebody reads it: in a debug build words cost more than what they tell.
struct Words {
    let text: () -> String
    init(_ text: @escaping @autoclosure () -> String) { self.text = text }
}

/// One device: the queue's machine, a file's bytes behind it, and a user who edits at random.
final class Device {
    let name: String
    let network: Network
    private let client: PegboardClient
    private let model: Client
    private(set) var machine: QueueMachine
    /// What the file says; it becomes bytes and a value again when the program is killed.
    private var disk: SyncState.Stored?
    private var dice: Dice
    private var keys = 0
    private var now: Duration = .zero
    /// Read once, to arrive at another time.
    private var event: LayoutSnapshot?
    /// By key, all that was ever sent.
    private var requests: [String: [FavoritesOperation]] = [:]

    init(_ number: Int, server: Server, catalog: CatalogSnapshot, seed: UInt64) {
        name = "d\(number)"
        dice = Dice(seed: seed &+ UInt64(number))
        network = Network(server: server)
        var settings = PegboardClient.Settings()
        settings.attempts = 1
        client = PegboardClient(
            baseURL: URL(string: "http://simulated")!, user: "u",
            identity: ClientIdentity(appVersion: "10.3", device: name), transport: network, settings: settings)
        model = Client(user: "u", platform: "ios", appVersion: AppVersion("10.3"))
        machine = QueueMachine(sync: SyncState(client: model, catalog: catalog))
    }

    var favorites: [String]? { machine.sync.local?.favorites.map(\.text) }
    var view: Client { model }
    func operations(of key: String) -> [FavoritesOperation]? { requests[key] }

    /// Every change of state is on the disk before anything is done about it.
    private func save() { disk = machine.sync.stored }

    /// The program ends without a word and starts again. The catalog has a file of its own, which may be gone.
    func kill(keepsCatalog: Bool) throws {
        var stored = try disk.map { try EditsFile.decode(EditsFile.encode($0, of: "u"), of: "u") } ?? SyncState.Stored()
        stored.needsLayout = true
        machine = QueueMachine(
            sync: SyncState(client: model, stored: stored, catalog: keepsCatalog ? machine.sync.catalog : nil))
        now = .zero
    }

    func tick() { now += .seconds(30) }

    // MARK: The user

    /// Does one edit of the kind that a finger can make; says which.
    func edit(_ pick: UInt64) throws -> Words {
        guard let local = machine.sync.local else { return Words("nothing to edit yet") }
        let operation = Self.operation(on: local, pick)
        guard let model = try? operation.model(), !machine.sync.isLocked else {
            return Words("\(operation) is not possible")
        }
        var result = local
        guard (try? result.apply([model])) != nil else { return Words("\(operation) is refused") }
        do {
            try machine.sync.edit([operation])
        } catch {
            throw Broken("\(operation) is allowed on \(local.favorites), but the queue says \(error.code.rawValue)")
        }
        save()
        guard machine.sync.local?.favorites == result.favorites else {
            throw Broken("\(operation) on \(local.favorites) shows \(favorites ?? []), not \(result.favorites)")
        }
        return Words("\(operation) gives \(result.favorites)")
    }

    private static func operation(on layout: Layout, _ pick: UInt64) -> FavoritesOperation {
        var dice = Dice(seed: pick)
        let ids = layout.favorites.map(\.text)
        let all = layout.catalog.functions.map(\.id.text)
        func place() -> FavoritesOperation.Placement {
            switch dice.roll(8) {
            case 0 where !ids.isEmpty: .before(ids[dice.roll(ids.count)])
            case 1 where !ids.isEmpty: .after(ids[dice.roll(ids.count)])
            case 2: .first
            case 3: .last
            default: .index(dice.roll(max(1, ids.count)))
            }
        }
        switch dice.roll(10) {
        case ..<4 where !ids.isEmpty: return .move(ids[dice.roll(ids.count)], to: place())
        case 4 where ids.count > 2: return .move(Array(ids.shuffled(using: &dice).prefix(2)), to: place())
        case ..<7 where !ids.isEmpty: return .remove(ids[dice.roll(ids.count)])
        default: return .add(all[dice.roll(all.count)], at: dice.roll(2) == 0 ? nil : place())
        }
    }

    // MARK: The program

    /// One step of the machine, if it has one to make now.
    ///
    /// - Returns: what it did; nil where it was idle or waits.
    func step() async throws -> Words? {
        keys += 1
        let next = machine.next(now: now, target: client.operationsTarget) { "\(name)-\(keys)" }
        save()
        let before = machine.sync
        var key: String?
        var settled: LayoutChange?
        let did: Words
        do {
            switch next {
            case .idle, .wait: return nil
            case .halted:
                throw Broken("\(name) halted: \(String(describing: machine.halted))")
            case .getLayout:
                let layout = try await client.layout()
                machine.took(layout)
                did = Words("has version \(layout.version): \(layout.favorites)")
            case .getCatalog:
                let catalog = try await client.catalog()
                machine.took(catalog)
                did = Words("has catalog \(catalog.revision)")
            case .send(let edits):
                key = edits.key
                requests[edits.key] = edits.operations
                let change = try await client.send(edits)
                settled = change
                machine.took(change, key: edits.key)
                did = Words(
                    "\(edits.key) \(edits.operations) became version \(change.layout.version)"
                        + " \(change.layout.favorites)\(change.isReplay ? ", a replay" : "")")
                try checkPrediction(change, from: before)
            }
        } catch let error as PegboardError {
            machine.failed(error, key: key, now: now, using: &dice)
            save()
            try Accounting.check(before, machine.sync, settled: nil, of: name)
            return Words("\(key ?? "question") failed: \(Self.brief(error))")
        }
        save()
        try Accounting.check(before, machine.sync, settled: settled, of: name)
        return did
    }

    private static func brief(_ error: PegboardError) -> String {
        if case .problem(let problem) = error { "\(problem.status) \(problem.code.rawValue)" } else { "no answer" }
    }

    /// Where nobody else had a part in it, the server's list is the one that the user saw all along.
    private func checkPrediction(_ change: LayoutChange, from before: SyncState) throws {
        guard change.rebasedFrom == nil, !change.isReplay, let confirmed = before.confirmed,
            change.layout.catalogRevision == before.catalog?.revision
        else { return }
        guard change.layout.favorites == before.stored.seen else {
            throw Broken(
                "\(name) foresaw \(before.stored.seen) for \(before.sealed?.operations ?? []) on \(confirmed.favorites),"
                    + " the server made \(change.layout.favorites)")
        }
    }

    /// Does all there is to do over a network that works.
    func settle() async throws {
        network.isOnline = true
        network.fate = .delivered
        machine.resume()
        machine.sync.askAnew()
        for _ in 0..<60 {
            now += .seconds(3_600)
            if try await step() == nil { return }
        }
        throw Broken("\(name) does not come to rest: \(machine.sync.stored)")
    }

    // MARK: Others

    /// Reads the list aside, or lets the one that was read arrive.
    func event() async throws -> Words {
        if let event {
            self.event = nil
            let before = machine.sync
            machine.sync.receive(event)
            save()
            try Accounting.check(before, machine.sync, settled: nil, of: name)
            return Words("hears of version \(event.version) \(event.favorites)")
        }
        network.fate = .delivered
        event = try? await client.layout()
        let event = event
        return Words("will hear of version \(event?.version ?? -1)")
    }
}
