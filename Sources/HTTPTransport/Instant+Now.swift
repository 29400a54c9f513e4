internal import Glibc
package import HTTP1

extension Instant {
    /// By the monotonic clock: setting the wall clock changes no time-out.
    package static var now: Self {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Self(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
