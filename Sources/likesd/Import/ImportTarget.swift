internal import LikesAPI
internal import LikesCore
internal import Threading

/// Where the records of an import go: a data folder, or a running server.
protocol ImportTarget {
    /// Takes records in, in order, and says what became of them.
    func take(_ records: [NumberedRecord]) throws(Stop) -> IntakeResult
    /// Ends the import.
    func finish()
}

/// A data folder that no server is using: records go through a mediator of the import's own.
final class FolderTarget: ImportTarget {
    private let store: DataStore
    private let mediator: LikesMediator
    private let intake: RecordIntake
    private let snapshotter: Snapshotter

    init(_ folder: String) throws(Stop) {
        store = try DataStore(folder: folder)
        let bus = EventBus()
        mediator = LikesMediator(journal: store.journal, state: store.shared, bus: bus)
        intake = RecordIntake(mediator, store.reader)
        snapshotter = store.startSnapshots(bus, mediator: { [mediator] in mediator }) { _ in }
        for warning in store.warnings { Console.error(warning) }
        mediator.start()
    }

    func finish() {
        mediator.stop()
        snapshotter.stop(deadline: .max)
        store.close()
    }

    func take(_ records: [NumberedRecord]) throws(Stop) -> IntakeResult {
        let answer = Monitor<Result<IntakeResult, Rejection>?>(nil)
        intake.take(records) { result in
            answer.withLock { $0 = result }
            answer.signal()
        }
        switch answer.wait(until: { $0 != nil }, then: { $0 }) {
        case .success(let result)?: return result
        case let other:
            throw Stop(
                .cannotCreate,
                "the data folder takes no more: \(mediator.journalFailure ?? "\(String(describing: other))")")
        }
    }
}
