import Locking

/// The connections that read. One that waits for the disk does not hold up all others, and each core can have its own.
final class ReaderPool: Sendable {
    private let readers: [ConnectionQueue]
    private let turn: Mutex<Int>
    private let readsAtOnce: Bool

    /// - Parameter readsAtOnce: false where the one who writes is among them.
    init(_ readers: [ConnectionQueue], readsAtOnce: Bool) {
        self.readers = readers
        self.readsAtOnce = readsAtOnce
        turn = Mutex(0)
    }

    /// What `body` reads, on the caller's own thread; nil where no connection is free, the disk would have to be waited for,
    /// or it fails.
    func readAtOnce<Result>(_ body: (Tables) throws -> Result) -> Result? {
        guard readsAtOnce else { return nil }
        for reader in readers {
            if let result = reader.readAtOnce(body) { return result }
        }
        return nil
    }

    func read<Result: Sendable>(_ body: @escaping @Sendable (Tables) throws -> Result) async throws -> Result {
        let index = turn.withLock { turn in
            turn = (turn + 1) % readers.count
            return turn
        }
        return try await readers[index].read(body)
    }

    /// How often a damaged row was met.
    var damaged: Int { readers.reduce(0) { $0 + $1.damaged } }

    func close() async {
        for reader in readers { await reader.close() }
    }
}
