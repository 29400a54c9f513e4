import Dispatch
import Glibc
import LayoutApplication

/// One place in the pool: a connection, opened when it is needed, and the queue that alone touches it.
final class Lane: @unchecked Sendable {
    // @unchecked: `connection` and `expiry` are touched on `queue` alone.
    private let queue: DispatchQueue
    private let settings: ConnectionPool.Settings
    private let counter: PoolCounter
    private var connection: Connection?
    private var expiry = ContinuousClock.now

    /// Conflicts with other transactions in a row that one errand gets over.
    private static let conflictLimit = 5

    init(number: Int, _ settings: ConnectionPool.Settings, _ counter: PoolCounter) {
        self.counter = counter
        queue = DispatchQueue(label: "pegboard.postgresql.\(number)")
        self.settings = settings
    }

    /// Carries the errand out, then asks for the next, until there is none.
    func begin(_ errand: any Errand, then next: @escaping @Sendable () -> (any Errand)?) {
        queue.async { [self] in
            if let errand = carryOut(errand) ?? next() { begin(errand, then: next) }
        }
    }

    func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                connection = nil
                continuation.resume()
            }
        }
    }

    private func carryOut(_ errand: any Errand) -> (any Errand)? {
        var conflicts = 0
        var reconnecting = Backoff(from: .milliseconds(20), upTo: .milliseconds(200))
        var retrying = Backoff(from: .milliseconds(2), upTo: .milliseconds(50))
        while true {
            do {
                return try errand.run(on: try lease(by: errand.deadline))
            } catch let setback as Setback {
                let pause: Duration
                switch setback.meaning {
                case .elsewhere:
                    connection = nil
                    counter.count { $0.reconnects += 1 }
                    pause = reconnecting.next()
                case .conflict where conflicts < Self.conflictLimit:
                    conflicts += 1
                    counter.count { $0.conflicts += 1 }
                    pause = retrying.next()
                case .conflict, .unknown, .canceled, .values, .refusal:
                    return errand.fail(StoreError(setback))
                }
                guard .now + pause < errand.deadline else { return errand.fail(StoreError(setback)) }
                sleep(pause)
            } catch {
                if case StoreError.damaged = error { counter.count { $0.damaged += 1 } }
                return errand.fail(error)
            }
        }
    }

    /// The connection, a new one where it is missing, broken or old.
    private func lease(by deadline: ContinuousClock.Instant) throws -> Connection {
        if let connection, connection.isUsable, .now < expiry { return connection }
        connection = nil
        do {
            let opened = try Connection(
                to: settings.address, by: min(deadline, .now + settings.patience), grace: settings.grace)
            connection = opened
            counter.count { $0.opened += 1 }
            // Not all at once: what was opened together would otherwise be replaced together for ever.
            expiry = .now + settings.connectionAge * Double.random(in: 0.8...1)
            return opened
        } catch let error as PostgresError {
            throw Setback(meaning: .elsewhere, error: error)
        }
    }

    /// On the lane's own thread, where nobody else waits.
    private func sleep(_ duration: Duration) {
        let parts = duration.components
        var time = timespec(tv_sec: Int(parts.seconds), tv_nsec: Int(parts.attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }
}
