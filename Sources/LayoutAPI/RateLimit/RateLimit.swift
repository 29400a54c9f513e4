/// How much one client may do: tokens that come back at a steady rate, and how many it may save up.
package struct RateLimit: Sendable, Equatable {
    /// Between one token and the next, in nanoseconds.
    package let interval: Int64
    /// The most tokens at a time: what may be done at once after a rest.
    package let burst: Int64

    /// The time in which an empty bucket fills up, in nanoseconds.
    package var fillTime: Int64 { interval * burst }

    /// Reads `20/s`, `600/m` or `5000/h`, with `:40` behind it for a burst other than the number itself.
    ///
    /// - Returns: nil for any other text, and for numbers outside 1 to 1,000,000.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let rate = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, rate.count == 2, let count = Self.number(rate[0]) else { return nil }
        let seconds: Int64
        switch rate[1] {
        case "s": seconds = 1
        case "m": seconds = 60
        case "h": seconds = 3_600
        default: return nil
        }
        guard let burst = parts.count == 2 ? Self.number(parts[1]) : count else { return nil }
        self.interval = seconds * 1_000_000_000 / count
        self.burst = burst
    }

    private static func number(_ text: Substring) -> Int64? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int64(text).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    }
}
