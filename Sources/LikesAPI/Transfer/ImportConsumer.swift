internal import JSONText
internal import LikesCore
internal import MicroHTTP
internal import Threading

/// Takes the body of `POST /v1/admin/import`: line by line as it comes, of any length. While the mediator has a batch of
/// lines in hand, no more is read.
final class ImportConsumer: BodyConsumer {
    fileprivate struct State {
        /// The beginning of a line whose end has not come yet.
        var line: [UInt8] = []
        var lines = 0
        var records: [NumberedRecord] = []
        var result = IntakeResult()
        /// Refusals beyond those that are listed.
        var unlisted = 0
        var failure: Rejection?
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
        let step: (isFull: Bool, problem: Problem?) = state.withLock { state in
            if let failure = state.failure { return (false, Problem(failure)) }
            state.take(piece, now)
            if state.line.count > APILimits.importLine {
                let detail = "line \(state.lines + 1): a line may have up to \(APILimits.importLine) bytes"
                return (false, Problem(.bodyTooLarge, detail))
            }
            return (state.records.count >= APILimits.importBatch, nil)
        }
        if let problem = step.problem { return .answer(problem.response.echoing(operationID)) }
        guard step.isFull else { return .more }
        return .wait { [self] resumption in flush { resumption.resume() } }
    }

    func finish(_ request: borrowing Request) -> Reply {
        let now = Timestamp(milliseconds: clock.now())
        state.withLock { $0.takeLastLine(now) }
        return .later { [self] responder in
            flush { [self] in responder.complete { [self] in response() } }
        }
    }

    func cancel() {}

    /// Lets the mediator take what has gathered.
    private func flush(then goOn: @escaping @Sendable () -> Void) {
        let records = state.withLock { state in
            defer { state.records = [] }
            return state.records
        }
        intake.take(records) { [self] outcome in
            state.withLock { $0.add(outcome) }
            goOn()
        }
    }

    private func response() -> Response {
        let (result, unlisted, failure) = state.withLock { ($0.result, $0.unlisted, $0.failure) }
        if let failure { return Problem(failure).response.echoing(operationID) }
        let response = answer.json(200, position: result.sequence) { json in
            json.object { json in
                json.member("news", result.news)
                json.member("merges", result.merges)
                json.member("likes", result.likes)
                json.member("refused", result.refusals.count + unlisted)
                json.name("refusals")
                json.array { json in for refusal in result.refusals { json.value(refusal) } }
                json.member("sequence", result.sequence)
            }
        }
        return response.echoing(operationID)
    }
}

extension ImportConsumer.State {
    /// Takes the lines in a piece.
    fileprivate mutating func take(_ piece: [UInt8], _ now: Timestamp) {
        var rest = piece[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line += rest[..<end]
            rest = rest[(end + 1)...]
            endLine(now)
        }
        line += rest
    }

    fileprivate mutating func takeLastLine(_ now: Timestamp) { if !line.isEmpty { endLine(now) } }

    private mutating func endLine(_ now: Timestamp) {
        lines += 1
        defer { line.removeAll(keepingCapacity: true) }
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return }
        do throws(ImportRecordError) {
            records.append(NumberedRecord(line: lines, record: try ImportRecord(json: line, now: now)))
        } catch {
            refuse(.init(line: lines, code: error.code, detail: error.reason))
        }
    }

    private mutating func refuse(_ refusal: IntakeResult.Refusal) {
        if result.refusals.count < APILimits.importRefusals {
            result.refusals.append(refusal)
        } else {
            unlisted += 1
        }
    }

    fileprivate mutating func add(_ outcome: Result<IntakeResult, Rejection>) {
        switch outcome {
        case .failure(let rejection): failure = rejection
        case .success(let more):
            result.add(more)
            for refusal in more.refusals { refuse(refusal) }
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
