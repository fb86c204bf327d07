package import LikesCore
internal import Threading

/// A record of an import with its place: what is said of it names the line.
package struct NumberedRecord: Sendable {
    /// The number of its line, from 1.
    package let line: Int
    /// What it says.
    package let record: ImportRecord

    package init(line: Int, record: ImportRecord) {
        self.line = line
        self.record = record
    }
}

/// What became of records.
package struct IntakeResult: Sendable {
    /// How many there were of a kind, and how many of them changed something.
    package struct Count: Sendable {
        /// Those that are in now.
        package var taken = 0
        /// Those that were not in before.
        package var changed = 0

        package init() {}
    }

    /// A record that was not taken in.
    package struct Refusal: Sendable {
        /// The number of its line.
        package let line: Int
        /// A stable code.
        package let code: String
        /// A sentence for whoever imports.
        package let detail: String

        package init(line: Int, code: String, detail: String) {
            self.line = line
            self.code = code
            self.detail = detail
        }
    }

    /// What became of news.
    package var news = Count()
    /// What became of merged ids.
    package var merges = Count()
    /// What became of likes and unlikes.
    package var likes = Count()
    /// In the order of their lines, where one source gave them all.
    package var refusals: [Refusal] = []
    /// The last event's, or where the last record was decided.
    package var sequence: UInt64 = 0

    package init() {}

    /// Adds the counts of what came next.
    package mutating func add(_ next: IntakeResult) {
        for kind in [\IntakeResult.news, \.merges, \.likes] {
            self[keyPath: kind].taken += next[keyPath: kind].taken
            self[keyPath: kind].changed += next[keyPath: kind].changed
        }
        sequence = max(sequence, next.sequence)
    }
}

extension IntakeResult {
    mutating func count(_ kind: WritableKeyPath<IntakeResult, Count>, changed: Bool) {
        self[keyPath: kind].taken += 1
        self[keyPath: kind].changed += changed ? 1 : 0
    }

    mutating func refuse(_ line: Int, _ rejection: Rejection) {
        let problem = Problem(rejection)
        refusals.append(Refusal(line: line, code: problem.code.rawValue, detail: problem.detail))
    }
}

/// Takes the records of an import to the mediator: in order, a run of one kind at a time, and the next run when the
/// one before it is durable.
package final class RecordIntake: Sendable {
    /// Takes what became of the records, or why the mediator did not go on: then those before are in, and all of it
    /// can be done again.
    package typealias Done = @Sendable (Result<IntakeResult, Rejection>) -> Void

    private let mediator: LikesMediator
    private let reader: LikesReader
    private let operationID: OperationID?

    /// - Parameter operationID: the events that the records cause carry it.
    package init(_ mediator: LikesMediator, _ reader: LikesReader, operationID: OperationID? = nil) {
        self.mediator = mediator
        self.reader = reader
        self.operationID = operationID
    }

    /// How far this instance has come.
    var position: UInt64 { reader.position }

    /// Takes records in.
    ///
    /// - Parameter done: called once, on the mediator's thread or on this one.
    package func take(_ records: [NumberedRecord], done: @escaping Done) {
        go(on: records[...], IntakeResult(), done)
    }

    private func go(on records: ArraySlice<NumberedRecord>, _ result: IntakeResult, _ done: @escaping Done) {
        guard let first = records.first else { return done(.success(result)) }
        switch first.record {
        case .news: takeNews(records, result, done)
        case .like: takeLikes(records, result, done)
        case .merge(let old, let target):
            merge(old, into: target) { [self] outcome in
                var result = result
                switch outcome {
                case .failure(let rejection) where rejection.isTemporary: return done(.failure(rejection))
                case .failure(let rejection): result.refuse(first.line, rejection)
                case .success(let receipt):
                    result.count(\.merges, changed: receipt.changed)
                    result.sequence = max(result.sequence, receipt.sequence)
                }
                go(on: records.dropFirst(), result, done)
            }
        }
    }

    private func takeNews(_ records: ArraySlice<NumberedRecord>, _ result: IntakeResult, _ done: @escaping Done) {
        let entries = records.prefixMap { record -> BatchEntry<NewsDraft>? in
            if case .news(let draft) = record { .request(draft) } else { nil }
        }
        takeMany(.putManyNews(entries)) { [self] receipt in
            go(on: records.dropFirst(entries.count), result.adding(receipt, \.news, records), done)
        } failed: {
            done(.failure($0))
        }
    }

    private func takeLikes(_ records: ArraySlice<NumberedRecord>, _ result: IntakeResult, _ done: @escaping Done) {
        let entries = records.prefixMap { record -> BatchEntry<ToggleRequest>? in
            if case .like(let request) = record { .request(request) } else { nil }
        }
        takeMany(.toggleMany(entries)) { [self] receipt in
            go(on: records.dropFirst(entries.count), result.adding(receipt, \.likes, records), done)
        } failed: {
            done(.failure($0))
        }
    }

    private func takeMany(
        _ action: LikeCommand.Action, taken: @escaping @Sendable (BatchReceipt) -> Void,
        failed: @escaping @Sendable (Rejection) -> Void
    ) {
        submit(action) { result in
            switch result {
            case .success(.many(let receipt)): taken(receipt)
            case .success: preconditionFailure("a receipt of another command")
            case .failure(let rejection): failed(rejection)
            }
        }
    }

    private typealias MergeDone = @Sendable (Result<(changed: Bool, sequence: UInt64), Rejection>) -> Void

    /// Lets a merged id lead to its news again; when there is no news of that id, one is made to be merged.
    private func merge(_ old: NewsID, into target: NewsID, makesNews: Bool = true, _ done: @escaping MergeDone) {
        submit(.mergeNews(old, into: target)) { [self] result in
            switch result {
            case .success(.news(let receipt)): done(.success((true, receipt.sequence)))
            case .success: preconditionFailure("a receipt of another command")
            // It leads there already, or to where that one was merged in the meantime.
            case .failure(.newsMerged(into: target)): done(.success((false, 0)))
            case .failure(.newsMerged(into: let other)) where other == reader.redirect(of: target):
                done(.success((false, 0)))
            case .failure(.newsNotFound) where makesNews && reader.detail(target, viewer: nil) != nil:
                let news = NewsDraft(News(id: old, title: old.text), setsBaseLikes: false)
                submit(.putNews(news)) { [self] made in
                    if case .failure(let rejection) = made { return done(.failure(rejection)) }
                    merge(old, into: target, makesNews: false, done)
                }
            case .failure(let rejection): done(.failure(rejection))
            }
        }
    }

    private func submit(
        _ action: LikeCommand.Action, _ done: @escaping @Sendable (Result<Receipt, Rejection>) -> Void
    ) {
        do throws(Rejection) {
            try mediator.submit(LikeCommand(action, operationID: operationID), done: done)
        } catch {
            done(.failure(error))
        }
    }
}

extension IntakeResult {
    /// The same with what became of a batch.
    fileprivate func adding(
        _ receipt: BatchReceipt, _ kind: WritableKeyPath<IntakeResult, Count>, _ records: ArraySlice<NumberedRecord>
    ) -> IntakeResult {
        var result = self
        result.sequence = max(sequence, receipt.sequence)
        for (record, outcome) in zip(records, receipt.results) {
            switch outcome {
            case .done(let changed, _, _): result.count(kind, changed: changed)
            case .failed(let rejection): result.refuse(record.line, rejection)
            case .malformed(let code, let detail):
                result.refusals.append(Refusal(line: record.line, code: code, detail: detail))
            }
        }
        return result
    }
}

extension ArraySlice<NumberedRecord> {
    /// What the records at the front become, up to the first that becomes nothing.
    fileprivate func prefixMap<Entry>(_ entry: (ImportRecord) -> Entry?) -> [Entry] {
        var entries: [Entry] = []
        for record in self {
            guard let next = entry(record.record) else { break }
            entries.append(next)
        }
        return entries
    }
}

extension Rejection {
    /// Whether the same may well be taken a little later.
    package var isTemporary: Bool {
        switch self {
        case .queueFull, .journalUnavailable, .shuttingDown: true
        default: false
        }
    }
}
