internal import Glibc

/// Where the time comes from. Passed in, so that tests can say what time it is.
package struct Clock: Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, unless it is a monotonic one.
    package let now: @Sendable () -> Int64

    package init(now: @escaping @Sendable () -> Int64) { self.now = now }

    /// Milliseconds that only grow, from some moment on.
    package static let monotonic = Clock { MonotonicClock.milliseconds() }

    /// The system's wall clock.
    package static let system = Clock {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
