internal import JSONText
internal import LikesCore
internal import MicroHTTP
internal import Threading

/// Takes the body of `POST /v1/admin/import`: line by line as it comes, of any length. While the mediator has a batch of
/// lines in hand, no more is read.
final class ImportConsumer: BodyConsumer {
    fileprivate struct State {
        var lines = ImportLines()
        var result = IntakeResult()
        /// Refusals beyond those that are listed.
        var unlisted = 0
        /// The number of the last line that the mediator is through with.
        var lastTaken = 0
        /// Why nothing more is taken.
        var problem: Problem?
    }

    private let state = Locked(State())
    private let intake: RecordIntake
    private let answer: Answer
    private let clock: Clock
    private let operationID: OperationID?

    init(_ intake: RecordIntake, _ answer: Answer, _ clock: Clock, _ operationID: OperationID?) {
        self.intake = intake
        self.answer = answer
        self.clock = clock
        self.operationID = operationID
    }

    func consume(_ piece: [UInt8]) -> Intake {
        let now = Timestamp(milliseconds: clock.now())
        let (isFull, problem) = state.withLock { state in
            if state.problem == nil { state.lines.take(piece, now) }
            return (state.lines.isFull, state.problem)
        }
        if let problem { return .answer(problem.response.echoing(operationID)) }
        guard isFull else { return .more }
        return .wait { [self] resumption in flush { resumption.resume() } }
    }

    func finish(_ request: borrowing Request) -> Reply {
        let now = Timestamp(milliseconds: clock.now())
        let problem = state.withLock { state in
            if state.problem == nil { state.lines.takeLastLine(now) }
            return state.problem
        }
        // Lines behind those that failed are not taken: the order counts.
        if let problem { return .now(problem.response.echoing(operationID)) }
        return .later { [self] responder in
            flush { [self] in responder.complete { [self] in response() } }
        }
    }

    /// What was taken stays; what has gathered is let go, as are lines that are still on their way.
    func cancel() {}

    /// Lets the mediator take what has gathered.
    private func flush(then goOn: @escaping @Sendable () -> Void) {
        let batch = state.withLock { $0.lines.takeBatch() }
        intake.take(batch.records) { [self] outcome in
            state.withLock { $0.note(outcome, of: batch) }
            goOn()
        }
    }

    private func response() -> Response {
        let (result, unlisted, problem) = state.withLock { ($0.result, $0.unlisted, $0.problem) }
        if let problem { return problem.response.echoing(operationID) }
        // Without a record that was decided, nothing says where that was.
        let sequence = result.sequence > 0 ? result.sequence : intake.position
        let response = answer.json(200, position: sequence) { json in
            json.object { json in
                json.member("news", result.news)
                json.member("merges", result.merges)
                json.member("likes", result.likes)
                json.member("refused", result.refusals.count + unlisted)
                json.name("refusals")
                json.array { json in for refusal in result.refusals { json.value(refusal) } }
                json.member("sequence", sequence)
            }
        }
        return response.echoing(operationID)
    }
}

extension ImportConsumer.State {
    /// Writes down what became of a batch.
    fileprivate mutating func note(_ outcome: Result<IntakeResult, Rejection>, of batch: ImportLines.Batch) {
        switch outcome {
        case .failure(let rejection):
            let problem = Problem(rejection)
            self.problem = Problem(problem.code, "\(problem.detail); lines 1 to \(lastTaken) are through")
        case .success(let more):
            result.add(more)
            lastTaken = batch.lastLine
            for refusal in (batch.refusals + more.refusals).sorted(by: { $0.line < $1.line }) { refuse(refusal) }
            guard lines.isTooLong else { return }
            let detail = "line \(lines.nextLine): a line may have up to \(APILimits.importLine) bytes"
            problem = Problem(.bodyTooLarge, "\(detail); those before are through")
        }
    }

    private mutating func refuse(_ refusal: IntakeResult.Refusal) {
        if result.refusals.count < APILimits.importRefusals {
            result.refusals.append(refusal)
        } else {
            unlisted += 1
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: StaticString, _ count: IntakeResult.Count) {
        self.name(name)
        object { json in
            json.member("taken", count.taken)
            json.member("changed", count.changed)
        }
    }

    fileprivate mutating func value(_ refusal: IntakeResult.Refusal) {
        object { json in
            json.member("line", refusal.line)
            json.member("code", refusal.code)
            json.member("detail", refusal.detail)
        }
    }
}
