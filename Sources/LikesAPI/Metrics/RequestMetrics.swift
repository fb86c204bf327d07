package import Metrics
package import MicroHTTP
internal import Threading

/// Counts the requests of a server by the template of their path, by method and by status, and how long their answers took.
///
/// Whatever clients ask for, there are no more labels than the templates, methods and statuses that are known here. Each worker
/// counts for itself, so that none waits for another.
package final class RequestMetrics: Sendable {
    private let shares: [Locked<Share>]

    /// - Parameter workers: of the server.
    package init(workers: Int) { shares = (0..<max(workers, 1)).map { _ in Locked(Share()) } }

    /// What one worker has counted: for each template and method that was asked for, a row of numbers.
    private struct Share {
        /// Where the row of a template and method begins; -1 for none.
        var places = [Int](repeating: -1, count: RequestMetrics.rowCount)
        var numbers: [Int64] = []
        let bounds = Histogram.microseconds
        var aborted: UInt64 = 0

        mutating func add(_ observation: Observation, row: Int) {
            guard let status = observation.status else {
                aborted += 1
                return
            }
            let place = self.place(ofRow: row)
            numbers[place + StatusLabel.index(of: status)] += 1
            numbers[place + Column.buckets + Histogram.bucket(of: observation.microseconds, bounds)] +=
                1
            numbers[place + Column.sum] &+= observation.microseconds
        }

        private mutating func place(ofRow row: Int) -> Int {
            if places[row] < 0 {
                places[row] = numbers.count
                numbers += repeatElement(0, count: Column.count)
            }
            return places[row]
        }

        func row(_ row: Int) -> ArraySlice<Int64>? {
            places[row] < 0 ? nil : numbers[places[row]..<places[row] + Column.count]
        }
    }

    /// Where the numbers of a row lie.
    private enum Column {
        static let buckets = StatusLabel.count
        static let sum = buckets + Histogram.microseconds.count + 1
        static let count = sum + 1
    }

    /// The rows of paths that do not exist come last.
    private static var otherPaths: Int { RouteTemplate.allCases.count }

    private static var rowCount: Int { (otherPaths + 1) * MethodLabel.count }

    /// Takes a request in.
    ///
    /// - Parameter makeRequest: called only when nobody has looked at the request before.
    package func observe(_ observation: Observation, _ makeRequest: () -> Request) {
        let template = RouteTemplate(observation, makeRequest().uri)?.rawValue ?? Self.otherPaths
        let row = template * MethodLabel.count + MethodLabel(observation.method).rawValue
        shares[observation.worker % shares.count].withLock { $0.add(observation, row: row) }
    }

    /// What was counted so far, in the order of the templates, by the numbers of the rows.
    private func rows() -> (rows: [(number: Int, row: [Int64])], aborted: UInt64) {
        let shares = shares.map { $0.withLock { $0 } }
        let rows: [(number: Int, row: [Int64])] = (0..<Self.rowCount).compactMap { number in
            let parts = shares.compactMap { $0.row(number) }
            guard let first = parts.first else { return nil }
            return (number, parts.dropFirst().reduce(Array(first)) { sum, part in zip(sum, part).map(&+) })
        }
        return (rows, shares.reduce(0) { $0 + $1.aborted })
    }

    /// Writes all that was counted.
    package func write(to text: inout MetricsText) {
        let (rows, aborted) = rows()
        var requests: [(labels: [MetricsText.Label], value: Int)] = []
        var times: [(labels: [MetricsText.Label], value: Histogram)] = []
        for (number, row) in rows {
            let labels = Self.labels(ofRow: number)
            for status in 0..<StatusLabel.count where row[status] > 0 {
                requests.append((labels + [("status", StatusLabel.text(status))], Int(row[status])))
            }
            times.append((labels, Self.histogram(row)))
        }
        text.metric(
            "likesd_http_requests_total", .counter,
            "Requests by the template of their path, their method and the status of their answer.", requests)
        text.histogram(
            "likesd_http_request_duration_seconds",
            "Time from the end of a request's head to the beginning of its answer.", unit: 1e6, times)
        text.metric(
            "likesd_http_requests_aborted_total", .counter,
            "Requests that ended without an answer of ours: the client was gone or broke off, or there was nothing to answer with.",
            aborted)
    }

    private static func labels(ofRow number: Int) -> [MetricsText.Label] {
        let (template, method) = number.quotientAndRemainder(dividingBy: MethodLabel.count)
        return [
            ("route", RouteTemplate(rawValue: template)?.path ?? "other"),
            ("method", MethodLabel(rawValue: method)?.text ?? "other"),
        ]
    }

    private static func histogram(_ row: [Int64]) -> Histogram {
        Histogram(
            bounds: Histogram.microseconds, counts: row[Column.buckets..<Column.sum].map(UInt64.init),
            sum: row[Column.sum])
    }
}

/// The methods that have a label of their own.
private enum MethodLabel: Int, CaseIterable {
    case get, head, put, post, delete, options, other

    /// Without making an array of them all, which is what every request would pay for.
    static let count = 7

    init(_ method: Method) {
        self =
            switch method {
            case .get: .get
            case .head: .head
            case .put: .put
            case .post: .post
            case .delete: .delete
            case .options: .options
            case .patch, .other: .other
            }
    }

    var text: String { self == .other ? "other" : "\(self)".uppercased() }
}

/// The statuses that have a label of their own: those that this server answers with.
private enum StatusLabel {
    private static let known = [
        200, 201, 204, 304, 308, 400, 401, 403, 404, 405, 406, 408, 409, 411, 413, 414, 415, 417, 421, 429, 431, 500,
        501,
        503,
        507,
    ]

    /// The number of labels.
    static let count = 26

    static func index(of status: Int) -> Int {
        switch status {
        // Nearly all of them, and without a search.
        case 200: 0
        case 201: 1
        default: known.firstIndex(of: status) ?? count - 1
        }
    }

    static func text(_ index: Int) -> String { index < known.count ? String(known[index]) : "other" }
}
