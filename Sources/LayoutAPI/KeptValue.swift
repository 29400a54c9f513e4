import Locking

/// One value that costs something to make, kept as long as it is asked for under the same key.
final class KeptValue<Key: Equatable & Sendable, Value: Sendable>: Sendable {
    private let kept = Mutex<Kept?>(nil)

    private struct Kept: Sendable {
        let key: Key
        let value: Value
    }

    /// - Parameter make: called outside the lock, perhaps by several at once.
    func value(for key: Key, make: () -> Value) -> Value {
        if let kept = kept.withLock({ $0 }), kept.key == key { return kept.value }
        let made = Kept(key: key, value: make())
        kept.withLock { $0 = made }
        return made.value
    }
}
