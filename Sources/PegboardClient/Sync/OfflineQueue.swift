public import Foundation
import LayoutModel
import Locking

/// The edits of one user on one device: kept in a file before they are sent, sent in order, each exactly once, whatever
/// happens to the network, the server or the program. What could not be done as the user wanted stands in `reports`.
///
/// Every edit is on stable storage when the call that made it returns.
public final class OfflineQueue: Sendable {
    let client: PegboardClient
    private let storage: any QueueStorage
    private let state: Mutex<State>

    private struct State {
        var machine: QueueMachine
        /// What the file says; the memory can be ahead of it by what the server has answered.
        var written: SyncState.Stored?
        var running: Task<Void, any Error>?
        var observers: [UUID: AsyncStream<Void>.Continuation] = [:]
        /// How often somebody thought that it may work now.
        var resumptions = 0

        mutating func resume() {
            machine.resume()
            resumptions += 1
        }
    }

    /// The storage holds the edits of another user. They have to be sent with that user's token.
    public struct OtherUser: LocalizedError {
        public var errorDescription: String? { "The edits that wait here are another user’s." }
    }

    /// What happened to the file when it was opened.
    public let recovery: Recovery

    public enum Recovery: Sendable, Equatable {
        case nothingStored
        case restored
        /// The file could not be understood. It was set aside; edits that were not sent are lost to this device.
        case damaged
    }

    /// Opens the queue, with what an earlier run of the program has left.
    ///
    /// - Parameters:
    ///   - client: its user must be named: under `me`, one user's edits could be sent as another's.
    ///   - storage: where edits wait, also for the next run of the program.
    ///   - backoff: the pauses between attempts.
    /// - Throws: what the storage throws; `OtherUser`.
    public init(client: PegboardClient, storage: any QueueStorage, backoff: Backoff = Backoff()) throws {
        self.client = client
        self.storage = storage
        guard let user = UserID(client.user) else {
            throw Refusal(code: "invalid_user", message: "A user id is \(UserID.allowed)")
        }
        let model = LayoutModel.Client(
            user: user, platform: client.identity.platform, appVersion: AppVersion(client.identity.appVersion))
        var stored = SyncState.Stored()
        (stored, recovery) = try Self.restore(from: storage, user: client.user)
        let catalog = try? storage.read(.catalog).map { try CatalogSnapshot(document: $0) }
        // Whatever was known, there may be news.
        stored.needsLayout = true
        state = Mutex(
            State(
                machine: QueueMachine(
                    sync: SyncState(client: model, stored: stored, catalog: catalog), backoff: backoff)))
    }

    private static func restore(
        from storage: any QueueStorage, user: String
    ) throws -> (SyncState.Stored, Recovery) {
        guard let data = try storage.read(.edits) else { return (.init(), .nothingStored) }
        do {
            return (try EditsFile.decode(data, of: user), .restored)
        } catch is EditsFile.Damaged {
            try storage.setAside(.edits)
            return (.init(), .damaged)
        }
    }

    // MARK: Looking

    var sync: SyncState { state.withLock { $0.machine.sync } }

    /// The favorites with all edits of this device made; nil before the first list and catalog came.
    public var favorites: [String]? { sync.local?.favorites.map(\.text) }

    /// How many edits the server has not acknowledged.
    public var pendingCount: Int { sync.pendingCount }

    /// Edits that did not come out as they were made, the oldest first. They are kept, over restarts too, until
    /// `forget(reports:)`.
    public var reports: [EditReport] { sync.reports }

    /// Why nothing is sent until `resume()`; nil while all is well.
    public var halted: PegboardError.Problem? { state.withLock { $0.machine.halted } }

    /// Says that something has changed; ask for what.
    public func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        state.withLock { $0.observers[id] = continuation }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.observers.removeValue(forKey: id) }
        }
        return stream
    }

    // MARK: Editing

    /// Makes edits at once, and sends them when it can.
    ///
    /// - Parameters:
    ///   - operations: all are made, or none.
    ///   - shown: the list on which the user decided; nil for the one that is there now.
    /// - Throws: `Refusal` where one of them is not allowed; what the storage throws. Nothing is changed then.
    public func edit(_ operations: [FavoritesOperation], madeOn shown: [String]? = nil) throws {
        try change { sync in try sync.edit(operations, madeOn: shown) }
    }

    /// Makes edits that were collected for a while: none is refused as a whole, what is not allowed any more is reported.
    func commit(_ operations: [FavoritesOperation], madeOn shown: [String]) throws {
        try change { sync in try sync.commit(operations, madeOn: shown) }
    }

    /// Drops reports that the user has seen.
    public func forget(reports ids: [Int]) throws {
        try change { sync in sync.forget(reports: Set(ids)) }
    }

    /// Writes first: what cannot be kept is not done.
    private func change(_ body: (inout SyncState) throws -> Void) throws {
        try state.withLock { state in
            var next = state.machine.sync
            try body(&next)
            try write(next.stored, in: &state)
            state.machine.sync = next
        }
        tell()
    }

    private func write(_ stored: SyncState.Stored, in state: inout State) throws {
        guard state.written != stored else { return }
        try storage.replace(.edits, with: EditsFile.encode(stored, of: client.user))
        state.written = stored
    }

    private func tell() {
        let observers = state.withLock { Array($0.observers.values) }
        for observer in observers { observer.yield() }
    }

    // MARK: Sending

    /// Sends what is to be sent and takes in what is new. One at a time: a second call waits for the first, then looks again.
    ///
    /// - Throws: the first failure, after which `run()` would wait; the edits are kept. `CancellationError`.
    public func synchronize() async throws {
        state.withLock { state in
            state.resume()
            state.machine.sync.askAnew()
        }
        try await drain()
    }

    /// Lets a halted queue go on: the user has signed in again.
    public func resume() {
        state.withLock { $0.resume() }
        tell()
    }

    /// Asks for list and catalog, sends edits as they are made, listens for those of others, and tries again after failures,
    /// until its task is cancelled.
    public func run() async {
        state.withLock { $0.machine.sync.askAnew() }
        await withTaskGroup { group in
            group.addTask { await self.listen() }
            group.addTask { await self.send() }
        }
    }

    private func listen() async {
        // The list at the beginning comes by a request; the stream tells what follows.
        var iterator = changes().makeAsyncIterator()
        while sync.confirmed == nil {
            guard await iterator.next() != nil else { return }
        }
        while !Task.isCancelled {
            let resumptions = state.withLock { $0.resumptions }
            do {
                for try await event in client.events(after: sync.confirmed?.version) {
                    update { $0.sync.receive(event.layout, isCurrent: event.kind == .resync) }
                }
            } catch is CancellationError {
                return
            } catch {
                // It is no use to come back. Whether anything else is, a question finds out: it halts where all is refused.
                // Until somebody resumes, lists come with the answers to edits.
                update { $0.sync.askAnew() }
                while state.withLock({ $0.resumptions }) == resumptions {
                    guard await iterator.next() != nil else { return }
                }
            }
        }
    }

    /// Takes in a list that came by another way, such as a push message.
    public func receive(_ layout: LayoutSnapshot) {
        update { $0.sync.receive(layout) }
    }

    private func send() async {
        let changes = changes()
        var iterator = changes.makeAsyncIterator()
        while !Task.isCancelled {
            do {
                try await drain()
            } catch is CancellationError {
                return
            } catch {}
            if case .wait(let delay) = step() {
                try? await client.sleep(delay)
            } else {
                _ = await iterator.next()
            }
        }
    }

    private func drain() async throws {
        while true {
            try Task.checkCancellation()
            let (task, isOwn) = state.withLock { state in
                if let running = state.running { return (running, false) }
                // It takes itself out: whoever waited for it must not meet it again.
                let task = Task {
                    defer { self.state.withLock { $0.running = nil } }
                    try await self.work()
                }
                state.running = task
                return (task, true)
            }
            guard isOwn else {
                _ = await task.result
                continue
            }
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    private func step() -> QueueMachine.Step {
        state.withLock { state in
            state.machine.next(
                now: origin.duration(to: .now), target: client.operationsTarget, makeKey: client.settings.makeKey)
        }
    }

    private let origin = ContinuousClock.now
    private var now: Duration { origin.duration(to: .now) }

    private func work() async throws {
        while true {
            try Task.checkCancellation()
            switch step() {
            case .idle, .halted, .wait: return
            case .getLayout: try await attempt { .layout(try await $0.layout()) }
            case .getCatalog: try await attempt { .catalog(try await $0.catalog()) }
            case .send(let edits):
                try await attempt(key: edits.key) {
                    // The key is on the disk before the request is on the way.
                    try state.withLock { try write($0.machine.sync.stored, in: &$0) }
                    return .change(try await $0.send(edits))
                }
            }
        }
    }

    private enum Gain: Sendable {
        case layout(LayoutSnapshot)
        case catalog(CatalogSnapshot)
        case change(LayoutChange)
    }

    private func attempt(key: String? = nil, _ call: (PegboardClient) async throws -> Gain) async throws {
        do {
            let gain = try await call(client)
            if case .catalog(let catalog) = gain { try? storage.replace(.catalog, with: catalog.document) }
            update { machine in
                switch gain {
                case .layout(let layout): machine.took(layout)
                case .catalog(let catalog): machine.took(catalog)
                case .change(let change): if let key { machine.took(change, key: key) }
                }
            }
        } catch let error where !(error is CancellationError) {
            // A token that cannot be had now, or a full disk, may pass like a network that is away.
            let failure = error as? PegboardError ?? .unreachable(error)
            update { machine in
                var random = SystemRandomNumberGenerator()
                machine.failed(failure, key: key, now: now, using: &random)
            }
            if case .problem(let problem) = failure, key != nil, halted == nil, !problem.isPassing { return }
            throw error
        }
    }

    /// What the server said is so, whether it can be written down or not: a later write has it too, and after a restart
    /// the same request gets the same answer.
    private func update(_ body: (inout QueueMachine) -> Void) {
        state.withLock { state in
            body(&state.machine)
            try? write(state.machine.sync.stored, in: &state)
        }
        tell()
    }
}

extension PegboardClient {
    /// Where operations go, with the version of the app as it is now.
    package var operationsTarget: String {
        path("layout", "operations") + "?"
            + clientQuery.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    /// Once: the queue has its own way of trying again.
    package func send(_ edits: SealedEdits) async throws -> LayoutChange {
        var call = Call(method: "POST", path: edits.target, body: edits.body)
        call.key = edits.key
        call.attempts = 1
        return try Self.change(try await send(call))
    }
}
