import Dispatch
import LayoutApplication
import Locking

/// One connection, its statements and the queue that alone touches them.
final class ConnectionQueue: @unchecked Sendable {
    // @unchecked: `connection` and `tables` are touched on `queue` alone, or before anybody else has this object.
    let queue: DispatchQueue
    let connection: Connection
    let tables: Tables
    private let waiting: Mutex<Int>
    private let waitingLimit: Int
    private let damagedCount = Mutex(0)

    init(_ connection: Connection, name: String, waitingLimit: Int) throws {
        self.connection = connection
        tables = try Tables(connection)
        queue = DispatchQueue(label: "pegboard.sqlite.\(name)")
        waiting = Mutex(0)
        self.waitingLimit = waitingLimit
    }

    func read<Result: Sendable>(_ body: @escaping @Sendable (Tables) throws -> Result) async throws -> Result {
        try await perform { try body($0.tables) }
    }

    /// - Throws: `StoreError`, SQLite's own errors among them; and whatever `body` throws.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ConnectionQueue) throws -> Result
    ) async throws -> Result {
        try enter()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                leave()
                let result = Swift.Result { try StoreError.translating { try body(open()) } }
                if case .failure(StoreError.damaged) = result { damagedCount.withLock { $0 += 1 } }
                continuation.resume(with: result)
            }
        }
    }

    /// How often a damaged row was met.
    var damaged: Int { damagedCount.withLock { $0 } }

    func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                // It fails where a statement is still running, and each of ours has ended with its own call.
                try? connection.close()
                continuation.resume()
            }
        }
    }

    private func open() throws -> ConnectionQueue {
        guard !connection.isClosed else { throw StoreError.closed }
        return self
    }

    private func enter() throws {
        try waiting.withLock { waiting in
            guard waiting < waitingLimit else { throw StoreError.busy }
            waiting += 1
        }
    }

    private func leave() { waiting.withLock { $0 -= 1 } }
}
