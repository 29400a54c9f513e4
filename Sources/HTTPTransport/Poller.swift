internal import CSystem
internal import Glibc

/// Tells which descriptors have something to do: epoll, behind the few methods that another system would fill in another
/// way. Whoever closes a descriptor need not remove it first.
struct Poller: ~Copyable {
    struct Event {
        let token: UInt64
        private let flags: UInt32

        fileprivate init(token: UInt64, flags: UInt32) {
            self.token = token
            self.flags = flags
        }

        var isReadable: Bool { flags & (system_readable | system_peer_ended) != 0 }
        var isWritable: Bool { flags & system_writable != 0 }
        /// The peer has ended its side: behind what is there to read stands the end.
        var hasPeerEnded: Bool { flags & system_peer_ended != 0 }
        /// Reset, or ended on both sides.
        var isBroken: Bool { flags & system_broken != 0 }
    }

    private let descriptor: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private static let capacity = 256

    init() throws(ServerError) {
        descriptor = system_epoll_create()
        guard descriptor >= 0 else { throw .system(ServerError.words(errno)) }
        events = .allocate(capacity: Self.capacity)
    }

    deinit {
        close(descriptor)
        events.deallocate()
    }

    /// Registers a connection, once for its life: it is told of each change, and never asked for again.
    func addConnection(_ descriptor: Int32, token: UInt64) -> Bool {
        let flags = system_readable | system_writable | system_peer_ended | system_edge_triggered
        return system_epoll_add(self.descriptor, descriptor, flags, token) == 0
    }

    /// Registers a socket or an eventfd that reports for as long as something is there to take.
    ///
    /// - Parameter isShared: several pollers wait for it; one of them is woken.
    func addSource(_ descriptor: Int32, token: UInt64, isShared: Bool = false) -> Bool {
        let flags = isShared ? system_readable | system_exclusive : system_readable
        return system_epoll_add(self.descriptor, descriptor, flags, token) == 0
    }

    func remove(_ descriptor: Int32) {
        _ = system_epoll_remove(self.descriptor, descriptor)
    }

    /// Waits until something happens.
    ///
    /// - Parameter milliseconds: how long at most; -1 for ever.
    /// - Returns: the number of events, to be had by `event(_:)`.
    func wait(milliseconds: Int32) -> Int {
        let count = epoll_wait(descriptor, events, Int32(Self.capacity), milliseconds)
        return count < 0 ? 0 : Int(count)
    }

    func event(_ index: Int) -> Event {
        Event(token: system_event_token(events, Int32(index)), flags: system_event_flags(events, Int32(index)))
    }
}
