internal import Glibc

/// The command `health`: asks a server whether it is well.
func checkHealth(_ settings: Settings) throws(Stop) -> ExitStatus {
    let url: String
    if let given = settings.optionalText("url") { url = given } else { url = try localURL() }
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

/// Where a server is that was started with the same environment.
private func localURL() throws(Stop) -> String {
    "http://127.0.0.1:\(try Settings([], for: .serve).number("port"))"
}
