/// The bounds of a histogram, and what its values are measured in.
package struct Buckets: Sendable {
    /// Ascending, inclusive, in whole units of `scale`.
    let bounds: [Int]
    /// How many of its units make one of the metric's: a thousand million nanoseconds a second.
    let scale: Double

    package init(_ bounds: [Int], scale: Double = 1) {
        self.bounds = bounds
        self.scale = scale
    }

    /// In nanoseconds, shown as seconds. From 5 ms on what OpenTelemetry advises for `http.server.request.duration`; below
    /// it as finely, since most answers come from memory.
    package static let durations = Buckets(
        [
            500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 75_000_000, 100_000_000,
            250_000_000, 500_000_000, 750_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 7_500_000_000,
            10_000_000_000,
        ], scale: 1_000_000_000)

    /// How many of something at once.
    package static let sizes = Buckets([1, 2, 4, 8, 16, 32, 64, 128, 256, 512])

    /// The bucket for `value`; the one behind all bounds for what is larger.
    func index(of value: Int) -> Int {
        // From the smallest: nearly all values are found at the first comparison.
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        return index
    }
}

/// What a histogram holds at one moment.
package struct HistogramTotal: Sendable, Equatable {
    /// In each bucket, not added up; the last is for what is beyond all bounds.
    package var counts: [Int]
    /// In the histogram's own units.
    package var sum: Int
}
