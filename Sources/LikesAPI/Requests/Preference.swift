/// One of what a client says that it takes, in `Accept` or `Accept-Encoding` (RFC 9110, 12.4.2).
struct Preference {
    /// What it takes, in lower case.
    let name: String
    /// Whether it does: with a weight of zero it does not.
    let isWanted: Bool

    /// All that a header lists.
    static func all(in header: String) -> [Preference] {
        header.lowercased().split(separator: ",").map { entry in
            let parts = entry.split(separator: ";").map(\.trimmed)
            return Preference(name: parts.first ?? "", isWanted: !parts.dropFirst().contains(where: isZero))
        }
    }

    /// Whether a parameter is a weight of zero.
    private static func isZero(_ parameter: String) -> Bool {
        parameter.hasPrefix("q=0") && parameter.dropFirst(3).allSatisfy { $0 == "." || $0 == "0" }
    }
}

extension Substring {
    /// Without the space around it.
    fileprivate var trimmed: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        var text = drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return String(text)
    }
}
