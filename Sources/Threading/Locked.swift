package import Glibc

/// A value that only one thread touches at a time, behind a plain pthread mutex.
///
/// Use it instead of `Synchronization.Mutex`, whose Linux form in Swift 6.3 spins for long when it is contended
/// (swiftlang/swift#88440). Do not call out to unknown code, or wait for anything, inside `withLock`.
@safe package final class Locked<Value>: @unchecked Sendable {
    // Safety: `value` is only reached inside `withLock`, between lock and unlock of `mutex`.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var value: Value

    package init(_ value: sending Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
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
}
