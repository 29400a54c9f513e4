/// Prints the least time of one call of `body`, in microseconds, over 5 rounds of so many calls.
func measure(_ name: String, calls: Int, _ body: (Int) throws -> Void) rethrows {
    var least = Double.infinity
    for _ in 0..<5 {
        let began = ContinuousClock.now
        for call in 0..<calls { try body(call) }
        least = min(least, began.duration(to: .now) / .microseconds(calls))
    }
    show(name, least)
}

/// The same for work that waits: `body` does all the calls of a round.
func measure(_ name: String, calls: Int, _ body: () async throws -> Void) async rethrows {
    var least = Double.infinity
    for _ in 0..<5 {
        let began = ContinuousClock.now
        try await body()
        least = min(least, began.duration(to: .now) / .microseconds(calls))
    }
    show(name, least)
}

private func show(_ name: String, _ microseconds: Double) {
    let hundredths = Int(microseconds * 100 + 0.5)
    print("\(name): \(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10) µs")
}
