internal import CLinux
internal import Glibc

/// What wakes a thread that waits for descriptors, by one more of them: an eventfd.
package final class WakeSignal: Sendable {
    /// Readable from `raise` on until `lower`.
    package let descriptor: Int32

    /// Nil when the system gives no more descriptors; `errno` says why.
    package init?() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Makes the descriptor readable. May be called on any thread.
    package func raise() {
        var one: UInt64 = 1
        unsafe write(descriptor, &one, 8)
    }

    /// Makes it unreadable again.
    package func lower() {
        var count: UInt64 = 0
        unsafe read(descriptor, &count, 8)
    }
}
