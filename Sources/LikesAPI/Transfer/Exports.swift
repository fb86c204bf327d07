internal import LikesCore
internal import MicroHTTP
internal import Threading

/// The answers to `GET /v1/admin/export`: each is written by a thread of its own, from a frozen copy of the state.
final class Exports: Sendable {
    private let running = Locked(0)

    /// A place among the exports that may run at once; given back when nobody holds it.
    private final class Place: Sendable {
        private let exports: Exports

        init?(_ exports: Exports) {
            let isFree = exports.running.withLock { running in
                guard running < APILimits.exports else { return false }
                running += 1
                return true
            }
            guard isFree else { return nil }
            self.exports = exports
        }

        deinit { exports.running.withLock { $0 -= 1 } }
    }

    /// The answer, whose body is written while it is sent.
    func answer(_ reader: LikesReader, _ filter: ExportFilter, _ answer: Answer) throws(Problem) -> Response {
        guard let place = Place(self) else {
            throw Problem(.tooBusy, "\(APILimits.exports) exports are under way; repeat the request")
        }
        let frozen = reader.frozen()
        if frozen.isMerging { throw Problem(.tooBusy, "news are being merged; repeat the request") }
        return Response(
            status: 200,
            headers: [
                Header("Content-Type", "application/x-ndjson"), Header("Cache-Control", "no-store"),
                Header("Likes-Sequence", answer.token(frozen.position)),
                Header("Content-Disposition", "attachment; filename=\"likes-\(frozen.position).ndjson\""),
            ]
        ) { stream in
            let isStarted = Thread.startDetached {
                withExtendedLifetime(place) {
                    let deadline = MonotonicClock.milliseconds() + APILimits.exportMilliseconds
                    let isWhole = ExportWriter(frozen, filter).write { piece in
                        MonotonicClock.milliseconds() < deadline && stream.write(piece)
                    }
                    if isWhole { stream.finish() } else { stream.fail() }
                }
            }
            // The client notices that its export is cut off.
            if !isStarted { stream.fail() }
        }
    }
}
