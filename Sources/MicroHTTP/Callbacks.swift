internal import CMicroHTTPD
internal import Glibc

// The functions libmicrohttpd calls, all on the worker's thread. They are global on purpose: a closure written in a
// main file would be bound to the main actor, and stop the process on another thread.
//
// Safety, for all of them: `worker` is the `Worker` that owns the daemon and outlives it; a request's context is the
// `Exchange` retained in `beginRequest`, which `endRequest` releases, once, as the last call about the request.

typealias UnescapeCallback =
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int
typealias TargetCallback =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer?
typealias CompletedCallback =
    @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        MHD_RequestTerminationCode
    ) -> Void
typealias ConnectionCallback =
    @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        MHD_ConnectionNotificationCode
    ) -> Void

/// Leaves the target as it came: decoding is the program's matter, per path segment.
func leaveEscaped(
    _ worker: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?
) -> Int {
    guard let text = unsafe text else { return 0 }
    return unsafe strlen(text)
}

/// The request line has arrived: makes the context of the request.
func beginRequest(
    _ worker: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let worker = unsafe worker, let target = unsafe target, let connection = unsafe connection,
        let link = unsafe mhd_shim_socket_context(connection)
    else { return nil }
    let exchange = unsafe Exchange(
        worker: Unmanaged<Worker>.fromOpaque(worker).takeUnretainedValue(),
        link: Unmanaged<Connection>.fromOpaque(link).takeUnretainedValue(), connection: connection, target: target)
    unsafe hideQuery(target)
    return unsafe Unmanaged.passRetained(exchange).toOpaque()
}

/// Ends the query of a target where it begins, after it was copied.
///
/// The library would take it apart into the connection's memory, 64 bytes a parameter, though nobody reads that; and when
/// they do not fit, 0.9.75 leaves the request without an answer. It parses up to the first zero byte, after this callback,
/// as 1.0 does too.
private func hideQuery(_ target: UnsafePointer<CChar>) {
    guard let mark = unsafe strchr(target, Int32(UInt8(ascii: "?"))) else { return }
    // Safety: the target lies in the library's own buffer, which it changes in the same way. It is terminated, so there is
    // a byte behind the mark.
    unsafe mark[1] = 0
}

/// The headers, a piece of the body, its end, or the return of a suspended request.
func handleRequest(
    _ worker: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ data: UnsafePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context = unsafe context?.pointee, let size = unsafe size else { return .NO }
    return unsafe Unmanaged<Exchange>.fromOpaque(context)._withUnsafeGuaranteedRef { exchange in
        guard exchange.isBegun else { return unsafe exchange.begin(method: method, version: version) }
        let bytes = unsafe UnsafeRawBufferPointer(start: data, count: size.pointee)
        guard unsafe size.pointee > 0 else { return exchange.finish() }
        // Chunks that have already arrived are offered even though the connection is suspended. They are kept for us.
        guard !exchange.isParked else { return .YES }
        unsafe size.pointee = 0
        return unsafe exchange.receive(bytes)
    }
}

/// The client can take more of a streamed body, whose exchange is `exchange`.
func readBody(
    _ exchange: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ room: Int
) -> Int {
    guard let exchange = unsafe exchange, let buffer = unsafe buffer else { return 0 }
    return unsafe Unmanaged<Exchange>.fromOpaque(exchange)._withUnsafeGuaranteedRef { exchange in
        unsafe exchange.read(into: UnsafeMutableRawPointer(buffer), room: room)
    }
}

/// The request is over, answered or not.
func endRequest(
    _ worker: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
    guard let context = unsafe context, let exchange = unsafe context.pointee else { return }
    unsafe context.pointee = nil
    let owned = unsafe Unmanaged<Exchange>.fromOpaque(exchange)
    unsafe owned._withUnsafeGuaranteedRef { $0.end() }
    unsafe owned.release()
}

/// A connection has come or gone. Its context is a `Connection`, retained in between.
func noteConnection(
    _ worker: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ event: MHD_ConnectionNotificationCode
) {
    guard let worker = unsafe worker, let connection = unsafe connection, let context = unsafe context else { return }
    unsafe Unmanaged<Worker>.fromOpaque(worker)._withUnsafeGuaranteedRef { worker in
        switch event {
        case .CONNECTION_NOTIFY_STARTED:
            let opened = unsafe worker.opened(connection)
            unsafe context.pointee = Unmanaged.passRetained(opened).toOpaque()
        case .CONNECTION_NOTIFY_CLOSED:
            guard let closed = unsafe context.pointee else { return }
            unsafe context.pointee = nil
            unsafe worker.closed(Unmanaged<Connection>.fromOpaque(closed).takeRetainedValue())
        }
    }
}
