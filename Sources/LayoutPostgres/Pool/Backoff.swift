/// How long to wait before another try: longer each time, and not as long as others who began to wait with us.
struct Backoff {
    private var bound: Duration
    private let most: Duration

    init(from first: Duration, upTo most: Duration) {
        bound = first
        self.most = most
    }

    /// Anything up to the bound, which doubles.
    mutating func next() -> Duration {
        defer { bound = min(bound * 2, most) }
        return bound * Double.random(in: 0.1...1)
    }
}
