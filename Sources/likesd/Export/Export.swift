internal import Glibc
internal import LikesAPI
internal import LikesCore

/// The command `export`: writes news, merged ids and likes to the standard output, as NDJSON.
func exportRecords(_ settings: Settings) throws(Stop) -> ExitStatus {
    let (folder, url) = (try settings.text("data"), try settings.text("url"))
    guard !(settings.isFlag("data") && settings.isFlag("url")) else {
        throw Stop(.usage, "export takes --data or --url, not both")
    }
    if let url, !settings.isFlag("data") {
        try exportServer(url)
    } else {
        try exportFolder(folder ?? "./data")
    }
    return .success
}

/// Writes what a running server has.
private func exportServer(_ url: String) throws(Stop) {
    let client = try HTTPClient(url: url, timeoutSeconds: 60)
    var isWritten = true
    let answer: HTTPClient.Answer
    do throws(HTTPClientError) {
        answer = try client.send("GET", "/v1/admin/export") { piece in
            isWritten = isWritten && writeOut(piece)
        }
    } catch {
        throw Stop(.unavailable, "the export was cut off: \(error.reason)")
    }
    guard answer.status == 200 else {
        throw Stop(.unavailable, "the server answered \(answer.status) to GET /v1/admin/export")
    }
    if !isWritten { throw outputFailure() }
}

/// Writes what is in a data folder that no server is using.
private func exportFolder(_ folder: String) throws(Stop) {
    let store = try DataStore(folder: folder)
    for warning in store.warnings { Console.error(warning) }
    var frozen = FrozenLikes(store.shared)
    while frozen.isMerging {
        // The mediator takes up again what was begun.
        let mediator = LikesMediator(journal: store.journal, state: store.shared, bus: EventBus())
        mediator.start()
        mediator.stop()
        frozen = FrozenLikes(store.shared)
    }
    let isWritten = ExportWriter(frozen, ExportFilter()).write { writeOut($0[...]) }
    store.close()
    if !isWritten { throw outputFailure() }
}

private func outputFailure() -> Stop {
    Stop(.cannotCreate, unsafe "cannot write the standard output: \(String(cString: strerror(errno)))")
}

/// Writes to the standard output; false when it takes no more.
private func writeOut(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}
