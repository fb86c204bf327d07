internal import Glibc

/// The command `health`: asks a server whether it is well.
func checkHealth(_ settings: Settings) throws(Stop) -> ExitStatus {
    // The port of a server that was started with the same environment.
    let local = "http://127.0.0.1:\(try Settings([], for: .serve).number("port"))"
    let url = settings.optionalText("url") ?? local
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
