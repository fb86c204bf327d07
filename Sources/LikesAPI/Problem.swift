internal import JSONText
internal import LikesCore
internal import MicroHTTP

/// An error as the caller sees it: a stable code and a sentence that is safe to show.
struct Problem: Error {
    let code: Code
    let detail: String
    /// For `method_not_allowed`: what is allowed.
    var allow: [Method] = []

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The one table of codes.
    enum Code: String, CaseIterable {
        case invalidID = "invalid_id"
        case invalidParameter = "invalid_parameter"
        case invalidCursor = "invalid_cursor"
        case invalidJSON = "invalid_json"
        case invalidBody = "invalid_body"
        case invalidRequest = "invalid_request"
        case newsNotFound = "news_not_found"
        case likeNotFound = "like_not_found"
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case notAcceptable = "not_acceptable"
        case newsMerged = "news_merged"
        case mergeConflict = "merge_conflict"
        case bodyTooLarge = "body_too_large"
        case uriTooLong = "uri_too_long"
        case unsupportedMediaType = "unsupported_media_type"
        case expectationFailed = "expectation_failed"
        case tooManyStreamsOfAddress = "too_many_streams_of_address"
        case headersTooLarge = "headers_too_large"
        case misdirectedRequest = "misdirected_request"
        case notImplemented = "not_implemented"
        case queueFull = "queue_full"
        case journalUnavailable = "journal_unavailable"
        case tooBusy = "too_busy"
        case notYetFolded = "not_yet_folded"
        case shuttingDown = "shutting_down"
        case tooManyStreams = "too_many_streams"
        case storageFull = "storage_full"

        var status: Int {
            switch self {
            case .invalidID, .invalidParameter, .invalidCursor, .invalidJSON, .invalidBody, .invalidRequest: 400
            case .newsNotFound, .likeNotFound, .notFound: 404
            case .methodNotAllowed: 405
            case .notAcceptable: 406
            case .newsMerged, .mergeConflict: 409
            case .bodyTooLarge: 413
            case .uriTooLong: 414
            case .unsupportedMediaType: 415
            case .expectationFailed: 417
            case .misdirectedRequest: 421
            case .tooManyStreamsOfAddress: 429
            case .headersTooLarge: 431
            case .notImplemented: 501
            case .queueFull, .journalUnavailable, .tooBusy, .notYetFolded, .shuttingDown,
                .tooManyStreams:
                503
            case .storageFull: 507
            }
        }

        /// The status in words, as RFC 9110 has them.
        var title: String {
            switch status {
            case 400: "Bad Request"
            case 404: "Not Found"
            case 405: "Method Not Allowed"
            case 406: "Not Acceptable"
            case 409: "Conflict"
            case 413: "Content Too Large"
            case 414: "URI Too Long"
            case 415: "Unsupported Media Type"
            case 417: "Expectation Failed"
            case 421: "Misdirected Request"
            case 429: "Too Many Requests"
            case 431: "Request Header Fields Too Large"
            case 501: "Not Implemented"
            case 507: "Insufficient Storage"
            default: "Service Unavailable"
            }
        }
    }

    var response: Response {
        let body = JSONWriter.object { json in
            json.member("type", "about:blank")
            json.member("title", code.title)
            json.member("status", code.status)
            json.member("code", code.rawValue)
            json.member("detail", detail)
        }
        var headers = [Header("Content-Type", "application/problem+json"), Header("Cache-Control", "no-store")]
        if [429, 503].contains(code.status) { headers.append(Header("Retry-After", "\(APILimits.retryAfterSeconds)")) }
        if !allow.isEmpty { headers.append(Header("Allow", allow.map(\.name).joined(separator: ", "))) }
        return Response(status: code.status, headers: headers, body: body)
    }
}

extension Problem {
    /// What to tell a caller whose command the mediator did not carry out.
    init(_ rejection: Rejection) {
        switch rejection {
        case .newsNotFound: self = .newsNotFound
        case .queueFull: self.init(.queueFull, "too many writes are waiting; repeat the request")
        case .journalUnavailable:
            self.init(.journalUnavailable, "writes cannot be stored at the moment; repeat the request")
        case .shuttingDown: self = .shuttingDown
        case .busy: self.init(.tooBusy, "this is being done already; repeat the request")
        case .full: self.init(.storageFull, "the server holds as many likes as it can")
        case .newsMerged: self.init(.newsMerged, "the news with this id was merged into another one")
        case .mergeConflict(.itself): self.init(.mergeConflict, "into: it is this news itself, or leads to it")
        case .mergeConflict(.baseLikes):
            self.init(.mergeConflict, "the baseLikes of both together are more than \(Limits.baseLikes)")
        case .mergeConflict(.tooManyIDs):
            self.init(.mergeConflict, "up to \(Limits.mergedIDs) ids can lead to one news")
        }
    }

    /// What to tell a caller whose read has waited in vain; nil when it has not.
    init?(_ outcome: SequenceWaits.Outcome) {
        switch outcome {
        case .folded: return nil
        case .late: self.init(.notYetFolded, "min_sequence: this server has not come so far yet; repeat the request")
        case .full: self.init(.tooBusy, "\(Limits.waitingReads) reads are waiting already; repeat the request")
        case .shuttingDown: self = .shuttingDown
        }
    }

    /// What to tell a caller whom the HTTP server itself turns away.
    init(_ refusal: Refusal) {
        switch refusal {
        case .badRequest(let reason): self.init(.invalidRequest, reason)
        case .notImplemented(let reason): self.init(.notImplemented, reason)
        case .headTooLarge: self.init(.headersTooLarge, "the header fields are too large")
        case .bodyTooLarge(let limit): self.init(.bodyTooLarge, "the body may have up to \(limit) bytes")
        case .uriTooLong: self.init(.uriTooLong, "the request target is too long")
        case .expectationFailed: self.init(.expectationFailed, "the only expectation that is met is 100-continue")
        case .tooBusy: self.init(.tooBusy, "too many requests at once; repeat the request")
        case .shuttingDown: self = .shuttingDown
        }
    }

    static let shuttingDown = Problem(.shuttingDown, "the server is stopping; repeat the request")

    static let newsNotFound = Problem(.newsNotFound, "there is no news with this id")
}
