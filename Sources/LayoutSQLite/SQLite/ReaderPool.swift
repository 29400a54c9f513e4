import CSystem
import Synchronization

/// The connections that read. One that waits for the disk does not hold up all others, and each core can have its own.
final class ReaderPool: Sendable {
    private let readers: [Reader]
    private let readsAtOnce: Bool
    private let sharesReads = Atomic(false)
    private let turn = Atomic<UInt>(0)

    /// - Parameter readsAtOnce: false where the one who writes is among them.
    init(_ readers: [Reader], readsAtOnce: Bool) {
        self.readers = readers
        self.readsAtOnce = readsAtOnce
    }

    /// What `body` reads, on the caller's own thread; nil where no connection is free, the disk would have to be waited for,
    /// or it fails.
    func readAtOnce<Result>(_ body: (Tables) throws -> Result) -> Result? {
        guard readsAtOnce else { return nil }
        let (thread, sharing) = (system_thread_number(), sharesReads.load(ordering: .relaxed))
        // First the one that this thread had last: its pages are near, and nobody else tries it. Of a lock that is taken the
        // kernel is asked (`Mutex`), by who tries it and by who lets go of it then.
        let first = readers.firstIndex { $0.hasServed(thread) } ?? 0
        for offset in readers.indices {
            let reader = readers[(first + offset) % readers.count]
            if let result = reader.readAtOnce(on: thread, sharing: sharing, body) { return result }
        }
        return nil
    }

    /// From now on the reads of a thread share a transaction.
    ///
    /// - Returns: ends it; to be called on that thread before it waits for anything.
    func shareReads() -> @Sendable () -> Void {
        sharesReads.store(true, ordering: .relaxed)
        return { [readers] in
            let thread = system_thread_number()
            for reader in readers { reader.endReads(on: thread) }
        }
    }

    func read<Result: Sendable>(_ body: @escaping @Sendable (Tables) throws -> Result) async throws -> Result {
        let turn = turn.wrappingAdd(1, ordering: .relaxed).newValue
        return try await readers[Int(turn % UInt(readers.count))].read(body)
    }

    /// How often a damaged row was met.
    var damaged: Int { readers.reduce(0) { $0 + $1.damaged } }

    func close() async {
        for reader in readers { await reader.close() }
    }
}
