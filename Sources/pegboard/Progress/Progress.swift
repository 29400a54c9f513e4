import LayoutRecords

/// How far a long piece of work is.
struct Progress: Equatable, Sendable {
    /// What is being done: `copying`.
    var step: String
    var done: Int
    /// 0 where nobody knows yet.
    var total = 0
    var unit = Unit.things

    enum Unit: Equatable, Sendable { case things, bytes }

    /// For a person who waits, after `time` of this step.
    ///
    /// `copying [########            ] 40% 1.2 GiB of 3.0 GiB, 410.0 MiB/s, 5 s left`
    func line(after time: Duration) -> String {
        let seconds = Double(time.milliseconds) / 1_000
        let rate = seconds > 0 ? Double(done) / seconds : 0
        let speed = rate > 0 ? ", \(amount(rate))/s" : ""
        guard total > 0 else { return done > 0 ? "\(step) \(amount(Double(done)))\(speed)" : "\(step) …" }
        let done = min(done, total)
        let filled = done * 20 / total
        let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: 20 - filled)
        let left = rate > 0 ? ", \(Int((Double(total - done) / rate).rounded(.up))) s left" : ""
        return
            "\(step) [\(bar)] \(done * 100 / total)% \(amount(Double(done))) of \(amount(Double(total)))\(speed)\(left)"
    }

    private func amount(_ number: Double) -> String { unit == .bytes ? Self.bytes(number) : "\(Int(number))" }

    static func bytes(_ number: Double) -> String {
        var (number, unit) = (number, "B")
        for larger in ["KiB", "MiB", "GiB", "TiB"] where number >= 1_024 {
            number /= 1_024
            unit = larger
        }
        return unit == "B" ? "\(Int(number)) B" : "\((number * 10).rounded() / 10) \(unit)"
    }
}

extension Progress {
    init(_ work: WorkProgress) {
        self.init(step: "", done: work.done, total: work.total)
        switch work.step {
        case .copying: (step, unit) = ("copying", .bytes)
        case .checkingPages: step = "checking pages"
        case .checkingRows: step = "checking rows"
        }
    }
}
