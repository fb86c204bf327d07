internal import Glibc
internal import JSONText
internal import JournalSQLite
internal import LikesAPI
internal import LikesCore
internal import Threading

/// The command `verify`: brings back what is in a folder that no server uses, as a start does, recounts it, compares it
/// with the events that are kept, and with what comes of them on an older snapshot.
///
/// It only reports, also with `--fix`: the counts are made from the journal at each start, so there is nothing that a
/// repair would last in.
func verify(_ settings: Settings) throws(Stop) -> ExitStatus {
    let folder = settings.text("data")
    // A look must not make a folder.
    guard unsafe access("\(folder)/\(SQLiteJournal.fileName)", F_OK) == 0 else {
        throw Stop(.noInput, "there is no \(SQLiteJournal.fileName) in \(folder)")
    }
    let report = try verify(folder: folder)
    for finding in report.findings { Console.error("\(finding.place): \(finding.detail)") }
    var json = JSONWriter()
    json.object { $0.members(of: report) }
    print(String(decoding: json.bytes, as: UTF8.self))
    return report.isClean ? .success : .failure
}

private func verify(folder: String) throws(Stop) -> VerificationReport {
    let store = try DataStore(folder: folder)
    defer { store.close() }
    for warning in store.warnings { Console.error(warning) }
    var verification = Verification(FrozenLikes(store.shared))
    do throws(VerificationStop) {
        try verification.recount()
        try verification.compare(store.keptEvents)
        if let rebuilt = try rebuild(store) { verification.compare(with: rebuilt) }
    } catch {
        guard case .journal(let error) = error else { preconditionFailure("nobody calls it off") }
        throw Stop(error)
    }
    return verification.report
}

private func rebuild(_ store: DataStore) throws(VerificationStop) -> LikesState? {
    do throws(JournalError) { return try store.rebuilt() } catch { throw .journal(error) }
}
