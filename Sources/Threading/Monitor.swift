package import Glibc

/// A locked value that threads can also wait on: a mutex with a condition variable.
///
/// Waiting gives the lock up and takes it again; `signal` wakes one waiter, `broadcast` all of them.
@safe package final class Monitor<Value>: @unchecked Sendable {
    // Safety: `value` is only reached inside `withLock` and `wait`, which hold `mutex`.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let condition: UnsafeMutablePointer<pthread_cond_t>
    @usableFromInline var value: Value

    package init(_ value: sending Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        self.value = value
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the value, alone.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Waits until `ready` holds, then runs `body` under the same hold of the lock. `ready` is looked at first, and again
    /// after every signal; it must not change the value.
    @inlinable
    package func wait<Result>(until ready: (Value) -> Bool, then body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while !ready(value) { unsafe pthread_cond_wait(condition, mutex) }
        return body(&value)
    }

    /// Waits until `ready` holds or `milliseconds` have passed.
    ///
    /// - Returns: what `ready` said last.
    @inlinable
    package func wait(until ready: (Value) -> Bool, milliseconds: Int) -> Bool {
        wait(until: ready, microseconds: milliseconds * 1000)
    }

    /// Waits until `ready` holds or `microseconds` have passed.
    ///
    /// - Returns: what `ready` said last.
    @inlinable
    package func wait(until ready: (Value) -> Bool, microseconds: Int) -> Bool {
        var deadline = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + (microseconds % 1_000_000) * 1000
        deadline.tv_sec += microseconds / 1_000_000 + nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while !ready(value) {
            if unsafe pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return ready(value) }
        }
        return true
    }

    /// Wakes one waiting thread. Call it after the change, with or without the lock.
    package func signal() { unsafe pthread_cond_signal(condition) }

    /// Wakes all waiting threads.
    package func broadcast() { unsafe pthread_cond_broadcast(condition) }
}
