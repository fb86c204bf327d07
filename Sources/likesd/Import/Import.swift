internal import LikesAPI
internal import LikesCore
internal import Threading

/// The command `import`: takes news and likes in from files.
func importFiles(_ settings: Settings) throws(Stop) -> ExitStatus {
    guard !settings.words.isEmpty else { throw Stop(.usage, "import needs a file; see \"likesd help\"") }
    let (folder, url) = (settings.text("data"), settings.optionalText("url"))
    guard !(settings.isFlag("data") && settings.isFlag("url")) else {
        throw Stop(.usage, "import takes --data or --url, not both")
    }
    let now = Timestamp(milliseconds: Clock.system.now())
    // Before anything is taken in, so that a misspelt name changes nothing.
    for path in settings.words { _ = try RecordReader(path: path, now: now) }
    let target: any ImportTarget
    if let url, !settings.isFlag("data") {
        target = try ServerTarget(url: url)
    } else {
        target = try FolderTarget(folder)
    }
    defer { target.finish() }
    var importer = Importer(target, startedAt: now)
    for path in settings.words { try importer.take(path) }
    importer.report()
    return importer.refused == 0 ? .success : .badData
}

/// An import under way: collects records into batches and counts what becomes of them.
private struct Importer {
    private let target: any ImportTarget
    private let startedAt: Timestamp
    private var waiting: [NumberedRecord] = []
    private var result = IntakeResult()
    private(set) var refused = 0
    private var nextProgress: Int64 = 0

    /// Milliseconds between two looks at the progress.
    private static let progressMilliseconds: Int64 = 200

    init(_ target: any ImportTarget, startedAt: Timestamp) {
        self.target = target
        self.startedAt = startedAt
    }

    /// Takes a file in.
    mutating func take(_ path: String) throws(Stop) {
        var reader = try RecordReader(path: path, now: startedAt)
        while let reading = try reader.next() {
            switch reading {
            case .refused(let reason, let line): refuse(path, line, reason)
            case .record(let record, let line):
                waiting.append(NumberedRecord(line: line, record: record))
                if waiting.count == Limits.batchEntries { try send(path) }
            }
        }
        try send(path)
        if Console.isTerminal { Console.write("\r\u{1B}[K") }
    }

    private mutating func send(_ path: String) throws(Stop) {
        guard !waiting.isEmpty else { return }
        let outcome = try target.take(waiting)
        waiting.removeAll(keepingCapacity: true)
        result.add(outcome)
        for refusal in outcome.refusals { refuse(path, refusal.line, refusal.detail) }
        showProgress(path)
    }

    private mutating func refuse(_ path: String, _ line: Int, _ reason: String) {
        refused += 1
        Console.error("\(path):\(line): \(reason)")
    }

    private mutating func showProgress(_ path: String) {
        let now = Clock.system.now()
        guard Console.isTerminal, now >= nextProgress else { return }
        nextProgress = now + Self.progressMilliseconds
        Console.write("\r\(path): \(result.news.taken) news, \(result.likes.taken) likes\u{1B}[K")
    }

    /// Says how it went.
    func report() {
        let milliseconds = Clock.system.now() - startedAt.milliseconds
        print(
            "\(result.news.taken) news (\(result.news.changed) new or changed), "
                + (result.merges.taken == 0 ? "" : "\(result.merges.taken) merged ids (\(result.merges.changed) new), ")
                + "\(result.likes.taken) likes (\(result.likes.changed) new), "
                + "\(refused) refused, in \(milliseconds) ms")
    }
}
