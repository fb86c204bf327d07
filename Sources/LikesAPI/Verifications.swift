package import JSONText
package import LikesCore
internal import MicroHTTP

/// The answers to those who ask whether everything is right.
struct Verifications: Sendable {
    let auditor: Auditor
    let answer: Answer

    func verify(_ request: borrowing Request, _ operationID: OperationID?) throws(Problem) -> Reply {
        let fix = try Query(uri: request.uri).fix()
        return .later { responder in
            do throws(Rejection) {
                try auditor.verify(fix: fix) { result in
                    responder.complete { response(to: result).echoing(operationID) }
                }
            } catch {
                responder.complete { Problem(error).response.echoing(operationID) }
            }
        }
    }

    private func response(to result: Result<VerificationReport, Rejection>) -> Response {
        switch result {
        case .success(let report):
            answer.json(200, position: report.sequence) { json in json.object { $0.members(of: report) } }
        case .failure(let rejection): Problem(rejection).response
        }
    }
}

extension JSONWriter {
    /// What a verification found: the same over HTTP and by the command.
    package mutating func members(of report: VerificationReport) {
        member("drift", report.drift)
        member("orphans", report.orphans)
        member("news", report.news)
        member("users", report.users)
        member("likes", report.likes)
        member("fixed", report.fixed)
        member("sequence", report.sequence)
    }
}
