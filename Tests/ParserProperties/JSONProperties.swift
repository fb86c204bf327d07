internal import JSONText

/// What is read can be written, and is read from that as the same; a text has no more values than it is let have; a key that
/// comes twice is named as it is written.
func checkJSON(_ bytes: [UInt8]) throws(Violation) {
    let document: JSONDocument
    do throws(JSONError) { document = try JSONDocument(bytes) } catch {
        guard case .duplicateKey(let key) = error.fault, key.utf8.count < 256 else { return }
        let quoted = try? JSONDocument(Array("\"\(key)\"".utf8))
        return try require(quoted?.root.kind == .string, "the key \(key) is none")
    }
    let written = rewritten(document)
    guard let again = try? JSONDocument(written) else {
        throw Violation("what was written is no JSON: \(String(decoding: written, as: UTF8.self))")
    }
    let rewritten = rewritten(again)
    try require(rewritten == written, "\(String(decoding: written, as: UTF8.self)) is read as something else")
    let count = values(document.root)
    do throws(JSONError) { _ = try JSONDocument(bytes, maximumValues: count - 1) } catch {
        return try require(error.fault == .tooManyValues(count - 1), "\(error)")
    }
    throw Violation("\(count) values where \(count - 1) are allowed")
}

private func rewritten(_ document: JSONDocument) -> [UInt8] {
    var writer = JSONWriter()
    write(document.root, to: &writer)
    return writer.bytes
}

private func write(_ value: JSONValue, to writer: inout JSONWriter) {
    if let members = value.members {
        writer.object { writer in
            for member in members {
                writer.name(member.key)
                write(member.value, to: &writer)
            }
        }
    } else if let elements = value.elements {
        writer.array { writer in for element in elements { write(element, to: &writer) } }
    } else if let text = value.string {
        writer.value(text)
    } else if let number = value.integer {
        writer.value(number)
    } else if let truth = value.boolean {
        writer.value(truth)
    } else {
        // Null, or a number with a fraction, which is never written.
        writer.null()
    }
}

private func values(_ value: JSONValue) -> Int {
    if let members = value.members { return members.reduce(1) { $0 + values($1.value) } }
    if let elements = value.elements { return elements.reduce(1) { $0 + values($1) } }
    return 1
}
