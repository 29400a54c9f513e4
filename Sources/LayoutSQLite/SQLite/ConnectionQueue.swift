import Dispatch
import LayoutApplication
import Locking

/// One connection and its statements, with a queue for what may take its time, and a lock for what takes none.
final class ConnectionQueue: @unchecked Sendable {
    // @unchecked: `connection` and `tables` are touched on `queue`, in `useAtOnce` only where no work of the queue has
    // `use`, or before anybody else has this object.
    let queue: DispatchQueue
    let connection: Connection
    let tables: Tables
    private let waiting: Mutex<Int>
    private let waitingLimit: Int
    private let use = Mutex(())
    private let damagedCount = Mutex(0)

    init(_ connection: Connection, name: String, waitingLimit: Int) throws {
        self.connection = connection
        tables = try Tables(connection)
        queue = DispatchQueue(label: "pegboard.sqlite.\(name)")
        waiting = Mutex(0)
        self.waitingLimit = waitingLimit
    }

    /// - Throws: `StoreError`, SQLite's own errors among them; and whatever `body` throws.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ConnectionQueue) throws -> Result
    ) async throws -> Result {
        try enter()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                leave()
                let result = use.withLock { _ in Swift.Result { try StoreError.translating { try body(open()) } } }
                if case .failure(StoreError.damaged) = result { damagedCount.withLock { $0 += 1 } }
                continuation.resume(with: result)
            }
        }
    }

    /// What `body` gives, on the caller's own thread; nil where that would have to wait for another's work, where it fails, and
    /// after the end.
    func useAtOnce<Result>(_ body: () throws -> Result) -> Result? {
        let result = use.withLockIfAvailable { _ in connection.isClosed ? nil : try? body() }
        return result ?? nil
    }

    /// How often a damaged row was met.
    var damaged: Int { damagedCount.withLock { $0 } }

    func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                // It fails where a statement is still running, and each of ours has ended with its own call.
                use.withLock { _ in try? connection.close() }
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
