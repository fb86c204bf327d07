/// The way to answer a suspended request, from any thread, exactly once.
///
/// A second answer is a programming error and stops the process. An answer that comes after the server has stopped
/// is dropped.
package struct Responder: Sendable {
    let exchange: Exchange

    /// Answers, and wakes the worker at once.
    ///
    /// - Parameter response: runs on the worker's thread, which then sends what it returns.
    package func complete(_ response: @escaping @Sendable () -> Response) {
        exchange.worker.complete(exchange, response)
        exchange.worker.wakeIfNeeded()
    }

    /// Answers, but leaves the worker asleep until `HTTPServer.wakeWorkers()`: for many answers at a time.
    package func completeInBatch(_ response: @escaping @Sendable () -> Response) {
        exchange.worker.complete(exchange, response)
    }
}
