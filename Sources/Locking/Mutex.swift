#if THREAD_SANITIZER
    import Glibc

    /// The same method as below over a `pthread_mutex`: the Thread Sanitizer sees pthread locks, while the futex inside
    /// `Synchronization.Mutex` is invisible to it on Linux and gives false reports (build with `-DTHREAD_SANITIZER`).
    public final class Mutex<Value>: @unchecked Sendable {
        // @unchecked: what is at `value` is touched between lock and unlock alone. It has a place of its own, since a Void, of no
        // size, would lie where the object begins: the sanitizer would take its change for one of the object's first octets.
        private let value: UnsafeMutablePointer<Value>
        private let handle: UnsafeMutablePointer<pthread_mutex_t>

        public init(_ value: sending Value) {
            self.value = .allocate(capacity: 1)
            self.value.initialize(to: value)
            handle = .allocate(capacity: 1)
            handle.initialize(to: pthread_mutex_t())
            pthread_mutex_init(handle, nil)
        }

        deinit {
            pthread_mutex_destroy(handle)
            handle.deallocate()
            value.deinitialize(count: 1)
            value.deallocate()
        }

        public func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(handle)
            defer { pthread_mutex_unlock(handle) }
            return try body(&value.pointee)
        }

        public func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            guard pthread_mutex_trylock(handle) == 0 else { return nil }
            defer { pthread_mutex_unlock(handle) }
            return try body(&value.pointee)
        }
    }
#else
    public import Synchronization

    /// One lock around one value. Its own type, so that sanitizer builds can have another inside; see above.
    ///
    /// Public, though no product offers it: the compiler inlines and specialises across targets only what is, and as
    /// `package` it cost 60 ns a call.
    public struct Mutex<Value>: ~Copyable, Sendable {
        @usableFromInline let inner: Synchronization.Mutex<Value>

        @inlinable public init(_ value: sending Value) { inner = Synchronization.Mutex(value) }

        @inlinable public func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try inner.withLock(body)
        }

        /// The same where the lock is free now; nil where somebody has it.
        @inlinable public func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            try inner.withLockIfAvailable(body)
        }
    }
#endif
