internal import LikesCore
internal import MicroHTTP

extension Query {
    /// The event that a read must not be older than, by the query and the header; of two the later one. Nil for none.
    ///
    /// - Throws: `invalid_parameter` when one of them is no token of this journal.
    func minimumSequence(_ request: borrowing Request, _ epoch: Epoch) throws(Problem) -> UInt64? {
        let asked = try text("min_sequence")
        let header = request.header("Likes-Min-Sequence")
        if asked == nil && header == nil { return nil }
        return max(
            try Self.sequence(asked, "min_sequence", epoch) ?? 0,
            try Self.sequence(header, "Likes-Min-Sequence", epoch) ?? 0)
    }

    private static func sequence(_ text: String?, _ name: String, _ epoch: Epoch) throws(Problem) -> UInt64? {
        guard let text else { return nil }
        guard let token = Token(text) else {
            throw Problem(.invalidParameter, "\(name): a token out of Likes-Sequence is expected")
        }
        guard token.epoch == epoch else {
            throw Problem(
                .invalidParameter, "\(name): the token is of another journal, and will never be reached here")
        }
        return token.sequence
    }
}
