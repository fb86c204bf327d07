package import EventStreams
internal import JSONText
package import LikesCore
internal import Metrics
package import MicroHTTP
package import Threading

/// The HTTP interface: requests to commands and queries, receipts and views to answers.
package struct LikesAPI: Sendable {
    private let mediator: LikesMediator
    private let reader: LikesReader
    private let reads: Reads
    private let writeTools: WriteTools
    private let auditor: Auditor
    private let readiness: Readiness
    private let streams: EventStreams
    private let halfLife: HalfLife
    private let clock: Clock
    private let isLoopback: Bool
    private let crossOrigin: CrossOrigin?
    private let metrics: @Sendable () -> String
    private let answer: Answer
    private let exports = Exports()

    /// The interface to a mediator and to what it keeps.
    ///
    /// - Parameters:
    ///   - readiness: where reads wait for what is not there yet.
    ///   - streams: where live updates come from; their events are written by `eventFormat`.
    ///   - halfLife: of the order `trending` of the feed.
    ///   - clock: what the `at` of likes is compared with.
    ///   - isLoopback: whether the server listens on loopback addresses only. It then answers only requests whose
    ///     Host is one, so that no web page can reach it through a name of its own (DNS rebinding).
    ///   - crossOrigin: which other web pages may call; nil for none.
    ///   - metrics: what `/metrics` says, in `MetricsText`'s form.
    package init(
        mediator: LikesMediator, reader: LikesReader, auditor: Auditor, readiness: Readiness,
        streams: EventStreams, halfLife: HalfLife = .standard, clock: Clock = .system, isLoopback: Bool,
        crossOrigin: CrossOrigin? = nil, metrics: @escaping @Sendable () -> String = { "" }
    ) {
        self.mediator = mediator
        self.reader = reader
        self.auditor = auditor
        self.readiness = readiness
        self.streams = streams
        self.halfLife = halfLife
        self.clock = clock
        self.isLoopback = isLoopback
        self.crossOrigin = crossOrigin
        self.metrics = metrics
        answer = Answer(epoch: reader.epoch)
        reads = Reads(reader: reader, answer: answer)
        writeTools = WriteTools(mediator, reader, answer, clock)
    }

    /// How the events of a journal look in live updates.
    package static func eventFormat(_ epoch: Epoch) -> some EventFormat { EventText(epoch: epoch) }

    /// What the HTTP server calls.
    ///
    /// - Parameter observe: hears of every request.
    package func application(
        observe: (@Sendable (Observation, _ request: () -> Request) -> Void)? = nil
    ) -> Application {
        Application(
            admit: { request in
                // What has no body is checked once, when it is answered.
                request.hasBody ? admit(request) : .accept(maximumBody: 0)
            },
            respond: { request in respond(request) },
            refuse: { refusal in Problem(refusal).response },
            amend: crossOrigin.map(\.amendment), observe: observe)
    }

    // MARK: Checks

    /// Refuses what is wrong whatever the request is about.
    private func check(_ request: borrowing Request) throws(Problem) {
        if isLoopback, let isMine = request.hostKeeps({ LoopbackHost.matches($0) }), !isMine {
            throw Problem(.misdirectedRequest, "this server answers only requests to a loopback name or address")
        }
        // RFC 9110, 9.1: 501 for a method that is not known, 405 for one that the path does not have.
        if case .other(let name) = request.method, name != "TRACE" {
            throw Problem(.notImplemented, "no path has the method \(name)")
        }
    }

    /// The route of a request that may go on.
    private func route(_ request: borrowing Request) throws(Problem) -> Route {
        try check(request)
        let route = try Route(uri: request.uri)
        // So that nobody has to read the path again to count the request.
        request.mark(route.template.rawValue)
        guard route.allows(request.method) else {
            var problem = Problem(.methodNotAllowed, "this path has no method \(request.method.name)")
            problem.allow = route.methods
            throw problem
        }
        return route
    }

    private func admit(_ request: borrowing Request) -> Admission {
        if request.isAboutServer { return .accept(maximumBody: APILimits.ignoredBody) }
        do throws(Problem) {
            let route = try route(request)
            if case .import = route, request.method == .post { return .stream(try importConsumer(request)) }
            return .accept(maximumBody: try maximumBody(route, request))
        } catch {
            return .refuse(error.response)
        }
    }

    private func importConsumer(_ request: borrowing Request) throws(Problem) -> ImportConsumer {
        try MediaType.checkLines(request.header("Content-Type"))
        let operationID = try operationID(request)
        return ImportConsumer(
            RecordIntake(mediator, reader, operationID: operationID), answer, clock, operationID)
    }

    private func maximumBody(_ route: Route, _ request: borrowing Request) throws(Problem) -> Int {
        switch (route, request.method) {
        case (.news, .put):
            _ = try mediaType(request, allowsLines: false)
            return APILimits.newsBody
        case (.profileLikes, .put):
            _ = try mediaType(request, allowsLines: false)
            return APILimits.batchBody
        case (.counts, .post):
            _ = try mediaType(request, allowsLines: false)
            return APILimits.countsBody
        case (.merge, .post):
            _ = try mediaType(request, allowsLines: false)
            return APILimits.mergeBody
        case (.newsCollection, .post), (.likes, .post):
            _ = try mediaType(request, allowsLines: true)
            return APILimits.batchBody
        default:
            // It is ignored; but a form never passes, so that no foreign web page can send one.
            if request.header("Content-Type") != nil { _ = try mediaType(request, allowsLines: false) }
            return APILimits.ignoredBody
        }
    }

    private func mediaType(_ request: borrowing Request, allowsLines: Bool) throws(Problem) -> MediaType {
        try MediaType(request.header("Content-Type"), allowsLines: allowsLines)
    }

    private func operationID(_ request: borrowing Request) throws(Problem) -> OperationID? {
        guard let text = request.header("Operation-Id") else { return nil }
        guard let operationID = OperationID(text) else {
            throw Problem(
                .invalidParameter, "Operation-Id: 1 to \(Limits.operationIDBytes) visible ASCII characters are allowed")
        }
        return operationID
    }

    // MARK: Answers

    private func respond(_ request: borrowing Request) -> Reply {
        do throws(Problem) {
            if request.isAboutServer {
                try check(request)
                return .now(allowing([.get, .head, .put, .post, .delete, .options]))
            }
            let route = try route(request)
            if request.method == .options { return .now(allowing(route.methods)) }
            guard route.isVersioned else { return .now(try operate(route, request)) }
            let operationID = try operationID(request)
            do throws(Problem) {
                switch request.method {
                case .get, .head: return try read(route, request, operationID)
                default: return try write(route, request, operationID)
                }
            } catch {
                return .now(response(to: error, route, request).echoing(operationID))
            }
        } catch {
            return .now(error.response)
        }
    }

    private func allowing(_ methods: [Method]) -> Response {
        Response(status: 204, headers: [Header("Allow", methods.map(\.name).joined(separator: ", "))])
    }

    /// The answer to a request that failed. Whether its news was merged away is asked only now: what is about one that is
    /// there needs no look at those.
    private func response(to problem: Problem, _ route: Route, _ request: borrowing Request) -> Response {
        guard let news = route.news, let target = reader.redirect(of: news) else { return problem.response }
        return Redirection(news: news, uri: request.uri).response(to: target)
    }

    private func read(
        _ route: Route, _ request: borrowing Request, _ operationID: OperationID?
    ) throws(Problem) -> Reply {
        let query = try Query(uri: request.uri)
        let sequence = try unfolded(query, request)
        guard case .feed = route else {
            guard let sequence else { return .now(try read(route, query, request).echoing(operationID)) }
            return later(sequence, nil, operationID) { request in
                do throws(Problem) { return try read(route, Query(uri: request.uri), request) } catch {
                    return response(to: error, route, request)
                }
            }
        }
        return try readFeed(FeedRequest(query, halfLife: halfLife), sequence, request, operationID)
    }

    private func readFeed(
        _ asked: FeedRequest, _ sequence: UInt64?, _ request: borrowing Request, _ operationID: OperationID?
    ) throws(Problem) -> Reply {
        let ranking = asked.sort.ranking(at: Timestamp(milliseconds: clock.now())).map(present)
        guard sequence != nil || ranking.map({ !reader.has($0) }) ?? false else {
            return .now(try reads.feed(asked, ranking, request).echoing(operationID))
        }
        return later(sequence, ranking, operationID) { request in
            do throws(Problem) { return try reads.feed(asked, ranking, request) } catch { return error.response }
        }
    }

    /// The ranking to show. When the window has just moved on, that is the one before, and the new one is made.
    private func present(_ ranking: RankingName) -> RankingName {
        let present = reader.present(ranking)
        if present != ranking { readiness.prepareAhead(ranking) }
        return present
    }

    /// The event that a read wants to see and cannot yet; nil when it need not wait.
    private func unfolded(_ query: Query, _ request: borrowing Request) throws(Problem) -> UInt64? {
        guard let sequence = try query.minimumSequence(request, reader.epoch) else { return nil }
        return sequence > reader.position ? sequence : nil
    }

    /// Reads when everything for it is there, or says what is not.
    private func later(
        _ sequence: UInt64?, _ ranking: RankingName?, _ operationID: OperationID?,
        _ read: @escaping @Sendable (borrowing Request) -> Response
    ) -> Reply {
        .later { [readiness] responder in
            readiness.wait(for: sequence, ranking) { problem in
                responder.complete { request in (problem?.response ?? read(request)).echoing(operationID) }
            }
        }
    }

    private func read(_ route: Route, _ query: Query, _ request: borrowing Request) throws(Problem) -> Response {
        switch route {
        case .news(let id): return try reads.detail(id, query, request)
        case .like(let news, let user): return try reads.like(news, user)
        case .likers(let id): return try reads.likers(id, query)
        case .counts: return try reads.counts(query, request)
        case .profile(let user): return reads.profile(user, request)
        case .profileLikes(let user): return try reads.likes(by: user, query)
        case .events:
            return try LiveUpdates(streams: streams, reader: reader, answer: answer).events(query, request)
        case .export: return try exports.answer(reader, try query.exportFilter(), answer)
        default: preconditionFailure("the route table let through a read that nobody answers")
        }
    }

    private func write(
        _ route: Route, _ request: borrowing Request, _ operationID: OperationID?
    ) throws(Problem) -> Reply {
        let writes = Writes(
            tools: writeTools, redirection: route.news.map { Redirection(news: $0, uri: request.uri) })
        switch (route, request.method) {
        case (.newsCollection, _):
            return try writes.putManyNews(request, try mediaType(request, allowsLines: true), operationID)
        case (.likes, _):
            return try writes.toggleMany(request, try mediaType(request, allowsLines: true), operationID)
        case (.news(let id), .put):
            _ = try mediaType(request, allowsLines: false)
            return try writes.putNews(id, request, operationID)
        case (.news(let id), _): return writes.removeNews(id, operationID)
        case (.like(let news, let user), let method):
            return writes.toggle(ToggleRequest(liked: method == .put, news: news, user: user), operationID)
        case (.merge(let id), _):
            _ = try mediaType(request, allowsLines: false)
            return try writes.mergeNews(id, request, operationID)
        case (.profileLikes(let user), .put): return try writes.likeAll(user, request, operationID)
        case (.profileLikes(let user), _): return try writes.unlikeAll(user, request, operationID)
        case (.profile(let user), _): return writes.removeUser(user, operationID)
        case (.import, _): return try importConsumer(request).finish(request)
        case (.verification, _):
            return try Verifications(auditor: auditor, answer: answer).verify(request, operationID)
        case (.counts, _):
            _ = try mediaType(request, allowsLines: false)
            let asked = try BodyReader(clock).countsRequest(request.body)
            guard let sequence = try unfolded(Query(uri: request.uri), request) else {
                return .now(reads.counts(asked).echoing(operationID))
            }
            return later(sequence, nil, operationID) { _ in reads.counts(asked) }
        default: preconditionFailure("the route table let through a write that nobody answers")
        }
    }

    /// The answers for those who run the server, and for browsers.
    private func operate(_ route: Route, _ request: borrowing Request) throws(Problem) -> Response {
        switch route {
        case .page(let address): return PageAnswer.response(address.file, request)
        case .description:
            return Response(
                status: 200,
                headers: [Header("Content-Type", "application/yaml"), Header("Cache-Control", "no-cache")],
                body: PackageResources.openapi_yaml)
        case .metrics:
            return Response(
                status: 200,
                headers: [Header("Content-Type", MetricsText.mediaType), Header("Cache-Control", "no-store")],
                body: Array(metrics().utf8))
        case .readiness:
            // For the operator: what the system says, which is nothing of the program's own.
            if let reason = mediator.journalFailure {
                throw Problem(.journalUnavailable, "writes cannot be stored at the moment: \(reason)")
            }
            return ok
        default: return ok
        }
    }

    private var ok: Response {
        Response(
            status: 200,
            headers: [Header("Content-Type", "application/json"), Header("Cache-Control", "no-store")],
            body: JSONWriter.object { $0.member("status", "ok") })
    }
}
