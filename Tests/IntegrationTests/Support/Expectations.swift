import Testing

/// Expects an error as the contract describes it: a status, problem+json, a code.
func expectProblem(
    _ answer: Answer, _ status: Int, _ code: String, naming name: String? = nil, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == status, comment, sourceLocation: sourceLocation)
    #expect(
        answer.headers["content-type"]?.hasPrefix("application/problem+json") == true, comment,
        sourceLocation: sourceLocation)
    #expect(answer.json["code"] == .string(code), comment, sourceLocation: sourceLocation)
    #expect(answer.json["status"] == .integer(Int64(status)), comment, sourceLocation: sourceLocation)
    if let name {
        #expect(answer.json["detail"].string?.contains(name) == true, comment, sourceLocation: sourceLocation)
    }
}

/// Expects that the count of a news, its feed entry and the paged list of its likers say the same.
func expectOneTruth(
    _ api: API, _ news: String, count: Int, base: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let shown = JSON.integer(Int64(count))
    let detail = try await api.detail(news)
    #expect(detail.json["likesCount"] == shown, "detail of \(news)", sourceLocation: sourceLocation)
    let entry = try await api.feedEntry(news)
    #expect(entry["likesCount"] == shown, "feed entry of \(news)", sourceLocation: sourceLocation)
    let likers = try await api.allLikers(news)
    #expect(likers.count + base == count, "likers of \(news)", sourceLocation: sourceLocation)
    #expect(Set(likers).count == likers.count, "likers of \(news) once each", sourceLocation: sourceLocation)
}
