internal import LikesCore
internal import MicroHTTP
internal import Threading

/// The answers to PUT, POST and DELETE: each asks the mediator, and answers when that is true everywhere.
struct Writes: Sendable {
    let tools: WriteTools
    /// Where to lead a request about one news, should that have been merged away.
    let redirection: Redirection?

    /// Looks at the clock, so only made where a body is read.
    private var bodies: BodyReader { BodyReader(tools.clock) }

    /// Hands a command to the mediator.
    ///
    /// - Parameter render: makes the answer of a receipt, on the request's worker.
    private func reply(
        _ action: LikeCommand.Action, _ operationID: OperationID?,
        render: @escaping @Sendable (Receipt) -> Response?
    ) -> Reply {
        let command = LikeCommand(action, operationID: operationID)
        return .later { responder in
            do throws(Rejection) {
                try tools.mediator.submit(command) { result in
                    responder.completeInBatch { response(to: result, operationID, render) }
                }
            } catch {
                responder.complete { response(to: .failure(error), operationID, render) }
            }
        }
    }

    private func response(
        to result: Result<Receipt, Rejection>, _ operationID: OperationID?, _ render: (Receipt) -> Response?
    ) -> Response {
        let response: Response
        switch result {
        case .success(let receipt):
            guard let rendered = render(receipt) else { preconditionFailure("a receipt of another command") }
            response = rendered
        case .failure(.newsMerged(let target)):
            guard let redirection else { preconditionFailure("a merged news where no single one is named") }
            response = redirection.response(to: target)
        case .failure(let rejection): response = Problem(rejection).response
        }
        return response.echoing(operationID)
    }

    func toggle(_ request: ToggleRequest, _ operationID: OperationID?) -> Reply {
        reply(.toggle(request), operationID) { receipt in
            guard case .toggle(let receipt) = receipt else { return nil }
            return tools.answer.json(receipt.changed && receipt.liked ? 201 : 200, position: receipt.sequence) {
                $0.value(receipt, of: request, operationID)
            }
        }
    }

    func toggleMany(
        _ request: borrowing Request, _ type: MediaType, _ operationID: OperationID?
    ) throws(Problem) -> Reply {
        many(.toggleMany(try bodies.manyLikes(request.body, type)), operationID)
    }

    func putManyNews(
        _ request: borrowing Request, _ type: MediaType, _ operationID: OperationID?
    ) throws(Problem) -> Reply {
        many(.putManyNews(try bodies.manyNews(request.body, type)), operationID)
    }

    private func many(_ action: LikeCommand.Action, _ operationID: OperationID?) -> Reply {
        reply(action, operationID) { receipt in
            guard case .many(let receipt) = receipt else { return nil }
            return tools.answer.json(200, position: receipt.sequence) { $0.value(receipt, operationID) }
        }
    }

    func putNews(
        _ id: NewsID, _ request: borrowing Request, _ operationID: OperationID?
    ) throws(Problem) -> Reply {
        reply(.putNews(try bodies.news(request.body, id: id)), operationID) { receipt in
            guard case .news(let receipt) = receipt else { return nil }
            return detail(receipt)
        }
    }

    /// The detail of a news that was put, or into which another was merged.
    private func detail(_ receipt: NewsReceipt) -> Response {
        let detail = tools.reader.detail(receipt.news.id, viewer: nil)
        return tools.answer.json(receipt.created ? 201 : 200, position: detail?.position ?? receipt.sequence) { json in
            if let detail { json.value(detail, sequence: receipt.sequence) } else { json.value(receipt) }
        }
    }

    func mergeNews(
        _ id: NewsID, _ request: borrowing Request, _ operationID: OperationID?
    ) throws(Problem) -> Reply {
        reply(.mergeNews(id, into: try bodies.mergeTarget(request.body)), operationID) { receipt in
            guard case .news(let receipt) = receipt else { return nil }
            return detail(receipt)
        }
    }

    func removeNews(_ id: NewsID, _ operationID: OperationID?) -> Reply {
        reply(.removeNews(id), operationID) { receipt in
            guard case .removed(let sequence) = receipt else { return nil }
            var response = tools.answer.json(204, position: sequence) { _ in }
            response.headers.removeFirst()
            return response
        }
    }

    func likeAll(
        _ user: UserID, _ request: borrowing Request, _ operationID: OperationID?
    ) throws(Problem) -> Reply {
        bulk(.likeAll(user, of: request.hasBody ? try bodies.listedNews(request.body) : nil), operationID)
    }

    func unlikeAll(
        _ user: UserID, _ request: borrowing Request, _ operationID: OperationID?
    ) throws(Problem) -> Reply {
        if request.hasBody { throw Problem(.invalidRequest, "this request takes no body; name news in the query") }
        let news: [NewsID] = try Query(uri: request.uri).ids("news")
        return bulk(.unlikeAll(user, of: news.isEmpty ? nil : news), operationID)
    }

    func removeUser(_ user: UserID, _ operationID: OperationID?) -> Reply { bulk(.removeUser(user), operationID) }

    private func bulk(_ action: LikeCommand.Action, _ operationID: OperationID?) -> Reply {
        reply(action, operationID) { receipt in
            guard case .bulk(let receipt) = receipt else { return nil }
            return tools.answer.json(200, position: receipt.sequence) { $0.value(receipt, operationID) }
        }
    }
}

/// What all writes need, in one object: each write keeps it in a few functions until it is answered.
final class WriteTools: Sendable {
    let mediator: LikesMediator
    let reader: LikesReader
    let answer: Answer
    let clock: Clock

    init(_ mediator: LikesMediator, _ reader: LikesReader, _ answer: Answer, _ clock: Clock) {
        self.mediator = mediator
        self.reader = reader
        self.answer = answer
        self.clock = clock
    }
}

extension Response {
    /// The same answer with the caller's name for the request.
    func echoing(_ operationID: OperationID?) -> Response {
        guard let operationID else { return self }
        var response = self
        response.headers.append(Header("Operation-Id", operationID.text))
        return response
    }
}
