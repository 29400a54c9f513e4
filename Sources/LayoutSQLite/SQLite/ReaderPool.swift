import Locking

/// The connections that read, taken in turn. Two: a read from memory takes some 10 µs, and one that waits for the disk
/// should not hold up all others.
final class ReaderPool: Sendable {
    private let readers: [ConnectionQueue]
    private let turn: Mutex<Int>

    init(_ readers: [ConnectionQueue]) {
        self.readers = readers
        turn = Mutex(0)
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
