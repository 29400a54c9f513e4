import Dispatch
import Glibc
import Locking

/// The signals that end the program, and the one that has it read its files again, taken away from their default, which
/// would end it at once.
final class Signals {
    private let sources: [any DispatchSourceSignal]
    private let stream: AsyncStream<Int32>

    /// - Parameters:
    ///   - reload: called for every SIGHUP.
    ///   - again: called when a second one comes that ends the program: whoever sends it does not want to wait.
    init(reload: @escaping @Sendable () -> Void, again: @escaping @Sendable (Int32) -> Void) {
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
        sources = [SIGTERM, SIGINT, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { number == SIGHUP ? reload() : take(number) }
            source.resume()
            return source
        }
        // A peer that is gone is an error of one write. A terminal that is gone sends SIGHUP: no reason to end, either.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for the first.
    func first() async {
        for await _ in stream { return }
    }
}
