internal import LikesAPI
internal import LikesCore
internal import Threading

/// The command `import`: takes news and likes in from files.
func importFiles(_ settings: Settings) throws(Stop) -> ExitStatus {
    guard !settings.words.isEmpty else { throw Stop(.usage, "import needs a file; see \"likesd help\"") }
    let (folder, url) = (try settings.text("data"), try settings.text("url"))
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
        target = try FolderTarget(folder ?? "./data")
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
    private var news: [(draft: NewsDraft, line: Int)] = []
    private var likes: [(request: ToggleRequest, line: Int)] = []
    private var newsCount = Count()
    private var likesCount = Count()
    private(set) var refused = 0
    private var nextProgress: Int64 = 0

    /// Milliseconds between two looks at the progress.
    private static let progressMilliseconds: Int64 = 200

    /// How many records there were of a kind, and how many changed something.
    private struct Count {
        var taken = 0
        var changed = 0
    }

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
            case .record(.news(let draft), let line):
                // One kind at a time, so that everything goes in in the order of the file.
                if !likes.isEmpty { try sendLikes(path) }
                news.append((draft, line))
                if news.count == Limits.batchEntries { try sendNews(path) }
            case .record(.like(let request), let line):
                if !news.isEmpty { try sendNews(path) }
                likes.append((request, line))
                if likes.count == Limits.batchEntries { try sendLikes(path) }
            }
        }
        try sendNews(path)
        try sendLikes(path)
        if Console.isTerminal { Console.write("\r\u{1B}[K") }
    }

    private mutating func sendNews(_ path: String) throws(Stop) {
        guard !news.isEmpty else { return }
        let outcomes = try target.put(news.map(\.draft))
        count(outcomes, lines: news.map(\.line), path, \.newsCount)
        news.removeAll(keepingCapacity: true)
    }

    private mutating func sendLikes(_ path: String) throws(Stop) {
        guard !likes.isEmpty else { return }
        let outcomes = try target.put(likes.map(\.request))
        count(outcomes, lines: likes.map(\.line), path, \.likesCount)
        likes.removeAll(keepingCapacity: true)
    }

    private mutating func count(
        _ outcomes: [ImportOutcome], lines: [Int], _ path: String, _ counter: WritableKeyPath<Importer, Count>
    ) {
        for (outcome, line) in zip(outcomes, lines) {
            switch outcome {
            case .refused(let reason): refuse(path, line, reason)
            case .changed:
                self[keyPath: counter].taken += 1
                self[keyPath: counter].changed += 1
            case .unchanged: self[keyPath: counter].taken += 1
            }
        }
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
        Console.write("\r\(path): \(newsCount.taken) news, \(likesCount.taken) likes\u{1B}[K")
    }

    /// Says how it went.
    func report() {
        let milliseconds = Clock.system.now() - startedAt.milliseconds
        print(
            "\(newsCount.taken) news (\(newsCount.changed) new or changed), "
                + "\(likesCount.taken) likes (\(likesCount.changed) new), "
                + "\(refused) refused, in \(milliseconds) ms")
    }
}
