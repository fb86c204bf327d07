/// Takes a body in chunked coding (RFC 9112, 7.1) apart, as it comes.
struct ChunkedBody {
    private enum Step {
        /// In the line with the length of the next chunk.
        case length
        /// So many bytes of a chunk, then its line end, are to come.
        case data(Int)
        /// In the lines behind the last chunk.
        case trailer
        case complete
    }

    private var step = Step.length
    private var line: [UInt8] = []

    /// Whether the last chunk was there: a body without it was cut off.
    var isComplete: Bool { if case .complete = step { true } else { false } }

    /// Takes bytes in, and hands each piece of the body on.
    ///
    /// - Throws: when the bytes are no chunked body.
    mutating func take(_ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Void) throws(HTTPClientError) {
        var rest = bytes
        while let first = rest.first {
            switch step {
            case .complete: throw HTTPClientError(reason: "there is more behind the end of the answer")
            case .data(0):
                rest = rest.dropFirst()
                // The line end behind the chunk.
                if first == UInt8(ascii: "\n") { step = .length }
            case .data(let missing):
                let piece = rest.prefix(missing)
                body(piece)
                rest = rest.dropFirst(piece.count)
                step = .data(missing - piece.count)
            case .length, .trailer:
                rest = rest.dropFirst()
                if first != UInt8(ascii: "\n") { line.append(first) } else { try endLine() }
            }
        }
    }

    private mutating func endLine() throws(HTTPClientError) {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        defer { line.removeAll() }
        if case .trailer = step {
            if line.isEmpty { step = .complete }
            return
        }
        let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
        guard let length = Int(digits, radix: 16), length >= 0 else {
            throw HTTPClientError(reason: "the answer is not in chunks")
        }
        step = length == 0 ? .trailer : .data(length)
    }
}
