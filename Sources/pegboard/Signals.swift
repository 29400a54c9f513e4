import Dispatch
import Glibc
import Locking

/// The signals that end the program, taken away from their default, which would end it at once.
final class Signals {
    private let sources: [any DispatchSourceSignal]
    private let stream: AsyncStream<Int32>

    /// - Parameter again: called when a second one comes: whoever sends it does not want to wait.
    init(again: @escaping @Sendable (Int32) -> Void) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        let came = Mutex(false)
        let take = { @Sendable (number: Int32) in
            let isSecond = came.withLock { came in
                defer { came = true }
                return came
            }
            if isSecond { again(number) } else { continuation.yield(number) }
        }
        self.stream = stream
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { take(number) }
            source.resume()
            return source
        }
        // A peer that is gone is an error of one write, and a terminal that is gone no reason to end.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGHUP, SIG_IGN)
    }

    /// Waits for the first.
    func first() async {
        for await _ in stream { return }
    }
}
