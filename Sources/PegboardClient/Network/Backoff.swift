/// How long to wait before trying again: exponential with full jitter, so that many clients do not come back at once.
public struct Backoff: Sendable, Hashable {
    public var base: Duration
    public var limit: Duration

    public init(base: Duration = .milliseconds(500), limit: Duration = .seconds(60)) {
        self.base = base
        self.limit = limit
    }

    /// - Parameters:
    ///   - attempt: 0 after the first failure.
    ///   - retryAfter: what the server asked for; never less is waited, and up to `base` more.
    ///   - random: where in the range the pause falls, so that clients which failed together don't come back together.
    public func delay(
        attempt: Int, retryAfter: Duration? = nil, using random: inout some RandomNumberGenerator
    ) -> Duration {
        if let retryAfter { return retryAfter + base * Double.random(in: 0...1, using: &random) }
        let ceiling = min(limit, base * (1 << min(max(attempt, 0), 20)))
        return ceiling * Double.random(in: 0...1, using: &random)
    }
}
