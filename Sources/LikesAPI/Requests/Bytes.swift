// What request targets and headers are taken apart with: on bytes, in place, since every request passes here.

extension Span<UInt8> {
    /// Whether the bytes are those of a word.
    func equals(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        // Safety: the word has as many bytes as the span.
        for index in indices where unsafe self[index] != word.utf8Start[index] { return false }
        return true
    }

    /// Where a character first stands; nil when it does not.
    func place(of character: Unicode.Scalar) -> Int? {
        let byte = UInt8(ascii: character)
        for index in indices where self[index] == byte { return index }
        return nil
    }
}
