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

    /// Answers by a second look at the request, and wakes the worker at once.
    ///
    /// - Parameter response: runs on the worker's thread, which then sends what it returns. The request shows no body.
    package func complete(_ response: @escaping @Sendable (borrowing Request) -> Response) {
        // The exchange keeps this, and lets go of it when the request is over.
        complete { [exchange] in response(exchange.request) }
    }

    /// Answers, but leaves the worker asleep until `HTTPServer.wakeWorkers()`: for many answers at a time.
    package func completeInBatch(_ response: @escaping @Sendable () -> Response) {
        exchange.worker.complete(exchange, response)
    }
}
