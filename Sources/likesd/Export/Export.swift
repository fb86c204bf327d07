internal import Glibc
internal import LikesAPI
internal import LikesCore

/// The command `export`: writes news, merged ids and likes to the standard output, as NDJSON.
func exportRecords(_ settings: Settings) throws(Stop) -> ExitStatus {
    let (folder, url) = (settings.text("data"), settings.optionalText("url"))
    guard !(settings.isFlag("data") && settings.isFlag("url")) else {
        throw Stop(.usage, "export takes --data or --url, not both")
    }
    let filter = ExportFilter(news: settings.ids("news"), users: settings.ids("user"))
    guard max(filter.news.count, filter.users.count) <= Limits.exportFilters else {
        throw Stop(.usage, "--news, --user: up to \(Limits.exportFilters) ids of each are allowed")
    }
    if let url, !settings.isFlag("data") {
        try exportServer(url, filter)
    } else {
        try exportFolder(folder, filter)
    }
    return .success
}

/// Writes what a running server has.
private func exportServer(_ url: String, _ filter: ExportFilter) throws(Stop) {
    let path = "/v1/admin/export"
    let client = try HTTPClient(url: url, timeoutSeconds: 60)
    for attempt in 1... {
        var output = Output()
        let answer: HTTPClient.Answer
        do throws(HTTPClientError) {
            answer = try client.send("GET", path + filter.query) { output.write($0) }
        } catch {
            if let stop = output.stop { throw stop }
            throw Stop(
                .unavailable,
                output.isEmpty ? "the server does not answer: \(error.reason)" : "it was cut off: \(error.reason)")
        }
        if answer.status == 200 { return }
        // Others export, or news are being merged: that passes, and nothing is written yet.
        guard answer.status == 503, attempt < 10 else {
            throw Stop(.unavailable, "the server answered \(answer.status) to GET \(path)\(answer.explanation)")
        }
        sleep(1)
    }
}

/// Writes what is in a data folder that no server is using.
private func exportFolder(_ folder: String, _ filter: ExportFilter) throws(Stop) {
    // Nothing is made of a misspelt name, least of all an export that looks like one.
    guard DataStore.hasJournal(folder) else { throw Stop(.noInput, "there is no data in \(folder)") }
    let store = try DataStore(folder: folder)
    defer { store.close() }
    for warning in store.warnings { Console.error(warning) }
    var frozen = FrozenLikes(store.shared)
    while frozen.isMerging {
        // The mediator takes up again what was begun.
        let mediator = LikesMediator(journal: store.journal, state: store.shared, bus: EventBus())
        mediator.start()
        mediator.stop()
        if let failure = mediator.journalFailure {
            throw Stop(.cannotCreate, "a merge that was begun cannot be ended: \(failure)")
        }
        frozen = FrozenLikes(store.shared)
    }
    var output = Output()
    _ = ExportWriter(frozen, filter).write { output.write($0[...]) }
    if let stop = output.stop { throw stop }
}

/// The standard output.
private struct Output {
    /// Whether nothing was written.
    private(set) var isEmpty = true
    /// Why it takes no more.
    private(set) var stop: Stop?

    /// Writes; false when it takes no more.
    mutating func write(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                stop = Stop(
                    .cannotCreate, unsafe "cannot write the standard output: \(String(cString: strerror(errno)))")
                return false
            }
            isEmpty = false
            rest = rest.dropFirst(count)
        }
        return true
    }
}
