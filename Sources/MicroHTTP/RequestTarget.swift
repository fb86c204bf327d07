/// The target of a request line, checked and brought to origin form.
struct RequestTarget {
    /// Path and query; `*` is left alone for OPTIONS.
    let originForm: [UInt8]
    /// The authority of an absolute form.
    let authority: String?

    /// The parts of a target, or the rule it breaks.
    static func parse(_ target: [UInt8], method: Method) -> Result<RequestTarget, Fault> {
        guard target.allSatisfy(isTargetByte) else { return .failure(Fault("the target has a forbidden character")) }
        if target.first == slash { return .success(RequestTarget(originForm: target, authority: nil)) }
        if target == [star] {
            guard method == .options else { return .failure(Fault("only OPTIONS may ask for *")) }
            return .success(RequestTarget(originForm: target, authority: nil))
        }
        guard let parsed = absolute(target, method) else {
            return .failure(Fault("the target is not an absolute path"))
        }
        return .success(parsed)
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

    /// The parts of an absolute `http` target; nil for anything else.
    private static func absolute(_ target: [UInt8], _ method: Method) -> RequestTarget? {
        for scheme in ["http://", "https://"] {
            let length = scheme.utf8.count
            guard target.count > length, zip(target, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else {
                continue
            }
            let rest = target[length...]
            let end = rest.firstIndex { $0 == slash || $0 == question } ?? rest.endIndex
            let authority = rest[..<end]
            guard !authority.isEmpty, authority.allSatisfy(isHostByte) else { return nil }
            return RequestTarget(
                originForm: originForm(rest[end...], method), authority: String(decoding: authority, as: UTF8.self))
        }
        return nil
    }

    /// The origin form of what follows the authority. With nothing there, OPTIONS is about the server (RFC 9112, 3.2.4).
    private static func originForm(_ rest: ArraySlice<UInt8>, _ method: Method) -> [UInt8] {
        if rest.isEmpty && method == .options { return [star] }
        return rest.first == slash ? Array(rest) : [slash] + rest
    }
}
