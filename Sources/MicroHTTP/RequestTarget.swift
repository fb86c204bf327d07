/// The target of a request line, checked and brought to origin form.
enum RequestTarget {
    /// The origin form of a target, or the rule it breaks.
    ///
    /// An absolute form loses scheme and authority; `*` is left alone for OPTIONS.
    static func originForm(of target: [UInt8], method: Method) -> Result<[UInt8], Fault> {
        guard target.allSatisfy(isTargetByte) else { return .failure(Fault("the target has a forbidden character")) }
        if target.first == slash { return .success(target) }
        if target == [star] {
            return method == .options ? .success(target) : .failure(Fault("only OPTIONS may ask for *"))
        }
        guard let path = stripped(target) else { return .failure(Fault("the target is not an absolute path")) }
        return .success(path)
    }

    /// Why a target is not accepted.
    struct Fault: Error {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    private static let slash = UInt8(ascii: "/")
    private static let question = UInt8(ascii: "?")
    private static let star = UInt8(ascii: "*")

    /// Visible ASCII without `#`, which starts a fragment and never belongs on the wire.
    private static func isTargetByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
    }

    /// Path and query of an absolute `http` target; nil for anything else.
    private static func stripped(_ target: [UInt8]) -> [UInt8]? {
        for scheme in ["http://", "https://"] {
            let length = scheme.utf8.count
            guard target.count > length, zip(target, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else {
                continue
            }
            let rest = target[length...]
            let end = rest.firstIndex { $0 == slash || $0 == question } ?? rest.endIndex
            guard end > rest.startIndex else { return nil }
            return rest[end...].first == slash ? Array(rest[end...]) : [slash] + rest[end...]
        }
        return nil
    }
}
