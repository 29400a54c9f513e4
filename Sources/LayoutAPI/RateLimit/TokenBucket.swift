/// A token bucket, as the one number it comes down to: when it will be full again. A bucket whose time has passed is full,
/// and need not be kept.
///
/// Instants are nanoseconds of a monotonic clock, passed in.
package struct TokenBucket: Sendable, Equatable {
    package private(set) var fullAt: Int64

    /// A full one.
    package init() { fullAt = .min }

    /// What a bucket says when it is asked for a token.
    package struct Standing: Sendable, Equatable {
        /// Whether there was one, and it is taken.
        package var isTaken: Bool
        /// Tokens left.
        package var remaining: Int64
        /// Until there is a token, in nanoseconds; 0 where there is one.
        package var untilNext: Int64
        /// Until the bucket is full, in nanoseconds.
        package var untilFull: Int64
    }

    /// Takes a token where there is one.
    package mutating func take(_ limit: RateLimit, at now: Int64) -> Standing {
        let before = max(fullAt, now)
        let wanted = before + limit.interval - now
        let isTaken = wanted <= limit.fillTime
        if isTaken { fullAt = now + wanted }
        let untilFull = isTaken ? wanted : before - now
        let remaining = (limit.fillTime - untilFull) / limit.interval
        let untilNext = remaining > 0 ? 0 : untilFull + limit.interval - limit.fillTime
        return Standing(isTaken: isTaken, remaining: remaining, untilNext: untilNext, untilFull: untilFull)
    }
}
