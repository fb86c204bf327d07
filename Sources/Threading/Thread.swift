internal import Glibc

/// A thread of the operating system that runs one function and can be waited for.
package final class Thread: @unchecked Sendable {
    // Safety: `handle` is written once, before the object is handed out, and `join` is called by its one owner.
    private var handle = pthread_t()

    /// Starts a thread.
    ///
    /// - Parameter body: runs on the new thread; the thread ends when it returns.
    package init(_ body: @escaping @Sendable () -> Void) {
        let status = Self.create(&handle, body)
        precondition(status == 0, "the system gives no more threads (error \(status))")
    }

    /// Waits until the thread has ended. Call it exactly once.
    package func join() { pthread_join(handle, nil) }

    /// Starts a thread that nobody waits for.
    ///
    /// - Parameter body: runs on the new thread; the thread ends, and leaves nothing behind, when it returns.
    /// - Returns: false when the system gives no more threads; `body` is let go of then.
    package static func startDetached(_ body: @escaping @Sendable () -> Void) -> Bool {
        var handle = pthread_t()
        guard create(&handle, body) == 0 else { return false }
        pthread_detach(handle)
        return true
    }

    private static func create(_ handle: inout pthread_t, _ body: @escaping @Sendable () -> Void) -> Int32 {
        let box = unsafe Unmanaged.passRetained(Body(body))
        let status = unsafe pthread_create(
            &handle, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        if status != 0 { unsafe box.release() }
        return status
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
