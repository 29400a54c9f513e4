internal import Glibc
internal import HTTP1

extension Instant {
    /// By the monotonic clock: setting the wall clock changes no time-out.
    static var now: Self {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Self(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
