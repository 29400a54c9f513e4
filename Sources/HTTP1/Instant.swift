/// A point on the monotonic clock, in nanoseconds from whatever the caller counts from.
///
/// `ContinuousClock.Instant` would say the same; but its layout is not known when this is compiled, and every struct that
/// holds one is copied by calls at run time: about a tenth of our own share of a request.
package struct Instant: Sendable, Comparable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Beyond 292 years it is never.
    package static func + (instant: Self, nanoseconds: Int64) -> Self {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(nanoseconds)
        return Self(nanoseconds: overflow ? .max : sum)
    }
}

extension Duration {
    /// In whole nanoseconds; what is longer than 292 years is that long.
    package var nanoseconds: Int64 {
        // Nine seconds fit into a word; to divide two costs ten times as much.
        if let short = Int64(exactly: attoseconds) { return short / 1_000_000_000 }
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : (Instant(nanoseconds: whole) + attoseconds / 1_000_000_000).nanoseconds
    }
}
