import Locking

/// Whether the server is to get requests: read by the readiness probe, set by the program's life cycle.
package final class Health: Sendable {
    private let draining = Mutex(false)
    let storage = StorageVerdict()

    package init() {}

    package var isDraining: Bool { draining.withLock { $0 } }

    /// From now on `/readyz` answers 503.
    package func beginDraining() { draining.withLock { $0 = true } }
}
