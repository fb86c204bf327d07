internal import CMicroHTTPD

extension Exchange {
    /// Takes a piece of the body.
    func receive(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
        received += bytes.count
        worker.calls += 1
        if head.isChunked { link.chunkSince = worker.now }
        switch phase {
        case .streaming(let consumer): return unsafe feed(bytes, to: consumer)
        case .receiving:
            if received > maximumBody { return refuse(refusal(.bodyTooLarge(limit: maximumBody))) }
            guard makeRoom() else { return refuse(refusal(.tooBusy)) }
            unsafe body.append(contentsOf: bytes)
            return .YES
        case .discarding(let response):
            discarded += bytes.count
            return discarded > HTTPLimits.discardedBody ? answerAndClose(response) : .YES
        case .new, .suspended, .resumed, .answered: return .YES
        }
    }

    /// Makes room for what was received, as long as all bodies together stay within the budget.
    ///
    /// The room starts small and doubles up to the declared or admitted length: a length declared and never sent
    /// costs nothing.
    private func makeRoom() -> Bool {
        guard received > claimed else { return true }
        let whole = head.contentLength.map(Int.init) ?? maximumBody
        let room = max(received, min(max(2 * claimed, HTTPLimits.firstBodyStep), whole))
        guard worker.budget.claim(room - claimed) else { return false }
        claimed = room
        body.reserveCapacity(room)
        return true
    }

    /// Lets the body go and gives its room back.
    func dropBody() {
        guard claimed > 0 else { return }
        body = []
        worker.budget.release(claimed)
        claimed = 0
    }

    /// Turns a request away whose framing is sound.
    ///
    /// A small rest of the body is read to its end, and the connection stays usable; a large one is not worth its bytes. Nor
    /// is one that the client still holds back until it hears that it is welcome.
    func refuse(_ response: Response) -> MHD_Result {
        dropBody()
        if head.expectsContinue && head.hasBody && received == 0 { return answerAndClose(response) }
        // Of chunks, nobody knows how many will follow.
        let rest = head.contentLength.map { $0 - min($0, UInt64(received)) } ?? 0
        guard rest <= UInt64(HTTPLimits.discardedBody) else { return answerAndClose(response) }
        phase = .discarding(response)
        return .YES
    }
}
