import HTTP1
import Locking

/// Whether the storage answered a moment ago. Balancers, service managers and people all ask for readiness: as often as they
/// like, the storage is asked ten times a second at most as long as it is well. A fault that a request meets counts at once,
/// and one that is found is asked about again each time.
final class StorageVerdict: Sendable {
    private let state = Mutex(State())

    private struct State {
        var wellUntil = Instant(nanoseconds: .min)
        /// How often a request met a fault.
        var doubts = 0
    }

    /// For how long an answer stands for the next ones, in nanoseconds.
    private static let validity: Int64 = 100_000_000

    func isWell(at now: Instant) -> Bool { state.withLock { now < $0.wellUntil } }

    /// A request has met a fault of the storage.
    func doubt() {
        state.withLock { state in
            state.wellUntil = Instant(nanoseconds: .min)
            state.doubts += 1
        }
    }

    /// Asks the storage.
    ///
    /// - Throws: what `check` throws.
    func ask(at now: Instant, _ check: () async throws -> Void) async throws {
        let doubts = state.withLock { $0.doubts }
        try await check()
        state.withLock { state in
            // What came in between is younger than the answer.
            if state.doubts == doubts { state.wellUntil = now + Self.validity }
        }
    }
}
