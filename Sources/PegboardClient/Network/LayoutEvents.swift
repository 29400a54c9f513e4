import Foundation

/// What happened to a layout.
public struct LayoutEvent: Sendable {
    public var kind: Kind
    public var layout: LayoutSnapshot
    /// Whether this device made the change.
    public var isOwn: Bool

    public enum Kind: Sendable {
        /// One change; none was missed before it.
        case change
        /// The server cannot say all that was missed: the layout as it is now.
        case resync
    }
}

/// The changes of one layout as they happen. Comes back by itself when the connection breaks, and goes on after the last
/// event it has seen. Ends when its task is cancelled; throws where coming back is no use (401, 403, 404).
public struct LayoutEvents: AsyncSequence {
    public typealias Element = LayoutEvent
    public typealias Failure = any Error

    let client: PegboardClient
    let lastVersion: Int64?

    public func makeAsyncIterator() -> Iterator { Iterator(client: client, lastVersion: lastVersion) }

    public struct Iterator: AsyncIteratorProtocol {
        private let client: PegboardClient
        private var parser: EventParser
        private var chunks: AsyncThrowingStream<Data, any Error>.Iterator?
        private var ready: [LayoutEvent] = []
        private var failures = 0
        private var retry: Duration?

        init(client: PegboardClient, lastVersion: Int64?) {
            self.client = client
            parser = EventParser(lastID: lastVersion.map(String.init) ?? "")
        }

        public mutating func next() async throws -> LayoutEvent? {
            while true {
                if !ready.isEmpty { return ready.removeFirst() }
                try Task.checkCancellation()
                do {
                    if try await receive() { continue }
                } catch is CancellationError {
                    throw CancellationError()
                } catch let error as PegboardError where !error.isWorthRepeating {
                    throw error
                } catch let error as PegboardError {
                    try await pause(retryAfter: error.retryAfter)
                    continue
                } catch {}
                try await pause(retryAfter: nil)
            }
        }

        /// - Returns: false where the stream has ended.
        private mutating func receive() async throws -> Bool {
            if chunks == nil {
                let stream = try await client.openEvents(after: parser.lastID)
                parser = EventParser(lastID: parser.lastID)
                chunks = stream.chunks.makeAsyncIterator()
            }
            var iterator = chunks
            chunks = nil
            guard let chunk = try await iterator?.next() else { return false }
            for event in try parser.take(chunk) {
                if let event = try client.layoutEvent(event) { ready.append(event) }
            }
            chunks = iterator
            failures = 0
            retry = parser.retry ?? retry
            return true
        }

        private mutating func pause(retryAfter: Duration?) async throws {
            chunks = nil
            let delay = client.delay(attempt: failures, retryAfter: retryAfter ?? (failures == 0 ? retry : nil))
            failures += 1
            try await client.sleep(delay)
        }
    }
}
