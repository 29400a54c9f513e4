/// Octets received and not yet used. One serves all connections of an event loop: a connection keeps of its own only what
/// it could not use yet, so ten thousand idle ones hold nothing.
struct InputBuffer {
    private var octets: [UInt8]
    private(set) var unread = 0..<0

    init(capacity: Int) {
        octets = [UInt8](repeating: 0, count: capacity)
    }

    var isEmpty: Bool { unread.isEmpty }

    func withUnread<Result, Failure>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(octets.span.extracting(unread))
    }

    /// Begins with what a connection has kept. It is empty then.
    mutating func restore(_ kept: inout [UInt8]) {
        guard !kept.isEmpty else { return }
        octets.replaceSubrange(0..<kept.count, with: kept)
        unread = 0..<kept.count
        kept = []
    }

    /// What is to be kept for a connection; nothing is left here.
    mutating func takeRest() -> [UInt8] {
        defer { unread = 0..<0 }
        return unread.isEmpty ? [] : Array(octets[unread])
    }

    mutating func consume(_ count: Int) {
        unread = unread.lowerBound + count..<unread.upperBound
    }

    /// Has `body` fill the free room.
    ///
    /// - Returns: what `body` returns, and whether it left room.
    mutating func fill(_ body: (UnsafeMutableRawBufferPointer) -> Socket.Transfer) -> (Socket.Transfer, isFull: Bool) {
        if unread.lowerBound > 0 { compact() }
        let end = unread.upperBound
        let transfer = octets.withUnsafeMutableBytes { body(UnsafeMutableRawBufferPointer(rebasing: $0[end...])) }
        if case .octets(let count) = transfer { unread = unread.lowerBound..<end + count }
        return (transfer, unread.upperBound == octets.count)
    }

    private mutating func compact() {
        octets.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[unread])) }
        unread = 0..<unread.count
    }
}
