internal import Glibc
internal import JSONText
internal import JournalSQLite
internal import LikesAPI
internal import LikesCore
internal import Threading

/// The command `verify`: replays the journal of a folder that no server uses, and recounts what comes of it.
///
/// It only reports, also with `--fix`: the counts are made from the journal at each start, so there is nothing that a
/// repair would last in.
func verify(_ settings: Settings) throws(Stop) -> ExitStatus {
    _ = try settings.isSet("fix")
    let folder = try settings.text("data") ?? "./data"
    // A look must not make a folder.
    guard unsafe access("\(folder)/\(SQLiteJournal.fileName)", F_OK) == 0 else {
        throw Stop(.noInput, "there is no \(SQLiteJournal.fileName) in \(folder)")
    }
    let report: VerificationReport
    do throws(JournalError) { report = try verify(folder: folder) } catch { throw Stop(error) }
    for finding in report.findings { Console.error("\(finding.place): \(finding.detail)") }
    var json = JSONWriter()
    json.object { $0.members(of: report) }
    print(String(decoding: json.bytes, as: UTF8.self))
    return report.isClean ? .success : .failure
}

private func verify(folder: String) throws(JournalError) -> VerificationReport {
    let journal = try SQLiteJournal(folder: folder)
    defer { journal.close() }
    var verification = Verification(FrozenLikes(try replay(journal)))
    do throws(VerificationStop) {
        try verification.recount()
        try verification.compare(replay: journal.replay)
    } catch {
        guard case .journal(let error) = error else { preconditionFailure("nobody calls it off") }
        throw error
    }
    return verification.report
}
