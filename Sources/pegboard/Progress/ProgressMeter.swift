import Glibc
import Locking

/// Shows on standard error how far a long piece of work is: a bar with rate and time left on a terminal, a line every few
/// seconds elsewhere. Work that is over at once shows nothing.
final class ProgressMeter: Sendable {
    private let isOn: Bool
    private let isTerminal: Bool
    private let state = Mutex(State())
    private let clock = ContinuousClock()
    private let began: ContinuousClock.Instant

    private struct State {
        var step: String?
        var stepBegan: ContinuousClock.Instant?
        var shown: ContinuousClock.Instant?
        var hasBar = false
    }

    /// - Parameter printsLines: the work itself prints: a bar between lines on one terminal would be no help.
    init(besideLines printsLines: Bool = false) {
        isTerminal = isatty(STDERR_FILENO) == 1
        isOn = !(printsLines && isTerminal && isatty(STDOUT_FILENO) == 1)
        began = clock.now
    }

    func show(_ progress: Progress) {
        guard isOn else { return }
        let now = clock.now
        let text = state.withLock { state -> String? in
            if state.step != progress.step {
                state.step = progress.step
                state.stepBegan = now
            }
            let pause = isTerminal ? Duration.milliseconds(100) : .seconds(3)
            guard now - (state.shown ?? began) >= pause else { return nil }
            state.shown = now
            state.hasBar = isTerminal
            let line = progress.line(after: now - (state.stepBegan ?? now))
            return isTerminal ? "\r\u{1B}[K\(line)" : "\(line)\n"
        }
        if let text { Machine.print(text, to: STDERR_FILENO) }
    }

    /// Takes the bar away.
    func finish() {
        let hadBar = state.withLock { state in
            defer { state.hasBar = false }
            return state.hasBar
        }
        if hadBar { Machine.print("\r\u{1B}[K", to: STDERR_FILENO) }
    }
}
