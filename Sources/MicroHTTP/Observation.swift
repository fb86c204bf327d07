/// How a request went, as `Application.observe` hears of it.
package struct Observation: Sendable {
    /// Its method.
    package let method: Method
    /// What the program has set as `Request.mark`; nil when it did not.
    package let mark: Int?
    /// The status of the answer; nil when the client was gone before there was one.
    package let status: Int?
    /// Microseconds from the end of the request's head to the beginning of its answer; a body's way here is in them, the answer's
    /// way to the client is not.
    package let microseconds: Int64
    /// Which worker serves it: from 0, below the number of workers. Each observes one request at a time.
    package let worker: Int

    /// An observation of these.
    package init(method: Method, mark: Int?, status: Int?, microseconds: Int64, worker: Int) {
        self.method = method
        self.mark = mark
        self.status = status
        self.microseconds = microseconds
        self.worker = worker
    }
}
