import Glibc
import LayoutRecords
import Locking

/// Shows on standard error how far a long piece of work is: a bar with rate and time left on a terminal, a line every few
/// seconds elsewhere. Work that is over at once shows nothing.
final class ProgressMeter: Sendable {
    private let isTerminal: Bool
    private let state = Mutex(State())
    private let clock = ContinuousClock()
    private let began: ContinuousClock.Instant

    private struct State {
        var step: WorkProgress.Step?
        var stepBegan: ContinuousClock.Instant?
        var shown: ContinuousClock.Instant?
        var hasBar = false
    }

    init(isTerminal: Bool = isatty(STDERR_FILENO) == 1) {
        self.isTerminal = isTerminal
        began = clock.now
    }

    func show(_ progress: WorkProgress) {
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
            let line = Self.line(progress, after: now - (state.stepBegan ?? now))
            return isTerminal ? "\r\u{1B}[K\(line)" : "\(line)\n"
        }
        if let text { Machine.print(text, to: STDERR_FILENO) }
    }

    /// Takes the bar away.
    func finish() {
        if state.withLock({ $0.hasBar }) { Machine.print("\r\u{1B}[K", to: STDERR_FILENO) }
    }

    /// `copying  [########            ]  40%  1.2 GiB of 3.0 GiB, 410.0 MiB/s, 5 s left`
    static func line(_ progress: WorkProgress, after time: Duration) -> String {
        let name =
            switch progress.step {
            case .copying: "copying"
            case .checkingPages: "checking pages"
            case .checkingRows: "checking rows"
            }
        guard progress.total > 0 else { return "\(name) …" }
        let done = Double(min(progress.done, progress.total))
        let share = done / Double(progress.total)
        let filled = Int(share * 20)
        let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: 20 - filled)
        let amount = { (number: Double) in progress.step == .copying ? Self.bytes(number) : "\(Int(number))" }
        var line = "\(name) [\(bar)] \(Int(share * 100))% \(amount(done)) of \(amount(Double(progress.total)))"
        let seconds = Double(time.milliseconds) / 1_000
        if seconds > 0, done > 0 {
            let rate = done / seconds
            line += ", \(amount(rate))/s, \(Int((Double(progress.total) - done) / rate)) s left"
        }
        return line
    }

    static func bytes(_ number: Double) -> String {
        var (number, unit) = (number, "B")
        for larger in ["KiB", "MiB", "GiB", "TiB"] where number >= 1_024 {
            number /= 1_024
            unit = larger
        }
        return unit == "B" ? "\(Int(number)) B" : "\((number * 10).rounded() / 10) \(unit)"
    }
}
