/// The connections of one event loop, by descriptor.
struct ConnectionTable {
    private var slots: [Connection?] = []
    private var generation: UInt32 = 0
    private(set) var count = 0

    /// A descriptor is used again as soon as it is closed: the generation tells its new owner from the old one's events.
    mutating func nextToken(_ socket: Socket) -> UInt64 {
        // The uppermost bit stays clear: tokens of other sources have it.
        generation = generation &+ 1 & 0x7fff_ffff
        return UInt64(generation) << 32 | UInt64(socket.descriptor)
    }

    mutating func add(_ connection: Connection) {
        let index = Int(connection.socket.descriptor)
        if index >= slots.count {
            slots.append(contentsOf: repeatElement(nil, count: index + 1 - slots.count))
        }
        slots[index] = connection
        count += 1
    }

    mutating func remove(_ connection: Connection) {
        slots[Int(connection.socket.descriptor)] = nil
        count -= 1
    }

    subscript(token: UInt64) -> Connection? {
        let index = Int(token & 0xffff_ffff)
        guard index < slots.count, let connection = slots[index], connection.token == token else { return nil }
        return connection
    }

    var all: [Connection] { slots.compactMap(\.self) }
}
