internal import Glibc

/// A clock that never goes back and that nobody sets: for time limits, not for dates.
package enum MonotonicClock {
    /// Milliseconds since some moment before the process began.
    package static func milliseconds() -> Int64 { microseconds() / 1000 }

    /// Microseconds since the same moment.
    package static func microseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
