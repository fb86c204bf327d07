package import Glibc

/// A value that many threads read at once and one thread changes alone: a reader-writer lock.
///
/// A waiting writer goes before new readers, so that a steady load of reads cannot starve it; a thread must
/// therefore never take the read lock twice. Hold it for as long as a copy of a few numbers takes.
@safe package final class Shared<Value>: @unchecked Sendable {
    // Safety: `value` is only reached inside `read` and `write`, which hold `lock` in the matching mode.
    @usableFromInline let lock: UnsafeMutablePointer<pthread_rwlock_t>
    @usableFromInline var value: Value

    package init(_ value: sending Value) {
        unsafe lock = .allocate(capacity: 1)
        var attributes = pthread_rwlockattr_t()
        unsafe pthread_rwlockattr_init(&attributes)
        // PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP: glibc's default lets readers starve the writer.
        unsafe pthread_rwlockattr_setkind_np(&attributes, 2)
        unsafe pthread_rwlock_init(lock, &attributes)
        unsafe pthread_rwlockattr_destroy(&attributes)
        self.value = value
    }

    deinit {
        unsafe pthread_rwlock_destroy(lock)
        unsafe lock.deallocate()
    }

    /// Runs `body` beside other readers; nothing changes meanwhile.
    @inlinable
    package func read<Result, Failure: Error>(
        _ body: (borrowing Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_rwlock_rdlock(lock)
        defer { unsafe pthread_rwlock_unlock(lock) }
        return try body(value)
    }

    /// Runs `body` alone.
    @inlinable
    package func write<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_rwlock_wrlock(lock)
        defer { unsafe pthread_rwlock_unlock(lock) }
        return try body(&value)
    }
}
