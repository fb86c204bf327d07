internal import JournalSQLite
internal import LikesCore
internal import Threading

/// Where the records of an import go: a data folder, or a running server.
protocol ImportTarget {
    /// Takes in news, and says for each what became of it.
    func put(_ news: [NewsDraft]) throws(Stop) -> [ImportOutcome]
    /// Takes in likes and unlikes, and says for each what became of it.
    func put(_ likes: [ToggleRequest]) throws(Stop) -> [ImportOutcome]
    /// Ends the import.
    func finish()
}

/// What became of a record.
enum ImportOutcome {
    case changed
    /// It was so already.
    case unchanged
    case refused(String)
}

/// A data folder that no server is using: records go through a mediator of the import's own.
final class FolderTarget: ImportTarget {
    private let journal: SQLiteJournal
    private let mediator: LikesMediator

    init(_ folder: String) throws(Stop) {
        do throws(JournalError) {
            journal = try SQLiteJournal(folder: folder)
            mediator = LikesMediator(journal: journal, state: try replay(journal), bus: EventBus())
        } catch {
            throw Stop(error)
        }
        mediator.start()
    }

    func put(_ news: [NewsDraft]) throws(Stop) -> [ImportOutcome] {
        try outcomes(.putManyNews(news.map { .request($0) }))
    }

    func put(_ likes: [ToggleRequest]) throws(Stop) -> [ImportOutcome] {
        try outcomes(.toggleMany(likes.map { .request($0) }))
    }

    func finish() {
        mediator.stop()
        journal.close()
    }

    private func outcomes(_ action: LikeCommand.Action) throws(Stop) -> [ImportOutcome] {
        let answer = Monitor<Result<Receipt, Rejection>?>(nil)
        let result: Result<Receipt, Rejection>
        do throws(Rejection) {
            try mediator.submit(LikeCommand(action)) { result in
                answer.withLock { $0 = result }
                answer.signal()
            }
            result = answer.wait(until: { $0 != nil }, then: { $0 ?? .failure(.shuttingDown) })
        } catch {
            result = .failure(error)
        }
        guard case .success(.many(let receipt)) = result else {
            throw Stop(.cannotCreate, "the data folder takes no more: \(mediator.journalFailure ?? "\(result)")")
        }
        return receipt.results.map(Self.outcome)
    }

    private static func outcome(_ result: BatchReceipt.EntryResult) -> ImportOutcome {
        switch result {
        case .done(let changed, _, _): changed ? .changed : .unchanged
        case .failed(.newsNotFound): .refused("there is no news with this id")
        case .failed(.newsMerged): .refused("the news with this id was merged into another one")
        case .failed(let rejection): .refused("\(rejection)")
        case .malformed(_, let detail): .refused(detail)
        }
    }
}
