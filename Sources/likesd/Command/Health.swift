internal import Glibc

/// The command `health`: asks a server whether it is well.
func checkHealth(_ settings: Settings) throws(Stop) -> ExitStatus {
    let local = "http://127.0.0.1:\(try localPort())"
    let url = try settings.text("url") ?? local
    let client = try HTTPClient(url: url, timeoutSeconds: 2)
    do throws(HTTPClientError) {
        let answer = try client.send("GET", "/healthz")
        if answer.status == 200 { return .success }
        Console.error("likesd: \(url) answered \(answer.status)")
    } catch {
        Console.error("likesd: \(url): \(error.reason)")
    }
    return .failure
}

/// The port of a server that was started with the same environment.
private func localPort() throws(Stop) -> Int {
    try Settings([], for: .serve).number("port", 0...65_535) ?? 8080
}
