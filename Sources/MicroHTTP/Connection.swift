internal import CMicroHTTPD

/// An open connection, as far as its deadlines go.
@safe final class Connection {
    // Safety: used on the worker's thread alone, and `handle` only until the library says that it closes the connection.
    private let handle: OpaquePointer
    let descriptor: Int32
    /// Whose it is.
    let daemon: MHDDaemon?
    private(set) var isOpen = true
    /// Since when the client owes us the rest of a request, in monotonic milliseconds; nil while we owe an answer.
    var owingSince: Int64?
    /// Since when the next piece of a body in chunks is awaited; nil if there is no such body.
    var chunkSince: Int64?
    /// The place in the list of them.
    var slot: Int

    init(_ handle: OpaquePointer, of daemon: MHDDaemon?, owingSince: Int64, slot: Int) {
        unsafe self.handle = unsafe handle
        self.daemon = daemon
        descriptor = unsafe mhd_shim_connection_descriptor(handle)
        self.owingSince = owingSince
        self.slot = slot
    }

    /// Has the library leave it alone. Only for one that is open, and that no exchange has suspended.
    func suspend() { unsafe MHD_suspend_connection(handle) }

    /// Has the library look at it again in its next turn.
    func resume() { unsafe MHD_resume_connection(handle) }

    /// Says goodbye now, and has the library close the descriptor after so many seconds of silence.
    ///
    /// It looks in each turn at connections with a time of their own, whatever else is the matter with them. A descriptor
    /// that is shut down it may not notice: it watches those alone that it wants to read, and not when a buffer is full.
    func giveUp(afterSeconds seconds: UInt32) {
        chunkSince = nil
        LingeringSockets.endWriting(descriptor)
        unsafe mhd_shim_set_timeout(handle, seconds)
    }

    /// The library closes it.
    func close() { isOpen = false }
}
