import Foundation
import ParserProperties
import TestSupport
import Testing

/// The inputs that fuzzing begins with, and those that it found: `make fuzz` looks for more.
@Suite("The parsers do what they promise, whatever comes in")
struct ParserCorpusTests {
    private static let fixtures = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures")
    private static let folder = fixtures.appendingPathComponent("parsers")

    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()

    private func input(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: Self.folder.appendingPathComponent(name)))
    }

    @Test("with each input of the corpus", arguments: names)
    func corpus(name: String) throws {
        #expect(try ParserProperty.check(input(name)), "its first byte names no parser")
    }

    @Test("with each input that was found because it reaches what no other did")
    func found() throws {
        let file = Self.fixtures.appendingPathComponent("parsers-found.base64")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count > 1_000)
        for (number, line) in lines.enumerated() {
            let input = try #require(Data(base64Encoded: String(line)), "line \(number + 1)")
            do { try ParserProperty.check(Array(input)) } catch { Issue.record("line \(number + 1): \(error)") }
        }
    }

    @Test("with each input of the corpus, damaged in many ways", arguments: names)
    func damaged(name: String) throws {
        let input = try input(name)
        var random = SeededRandom(seed: 1)
        for _ in 0..<200 {
            let damaged = damage(input, &random)
            do { try ParserProperty.check(damaged) } catch {
                Issue.record("\(error): \(damaged)")
                return
            }
        }
    }

    /// A copy with a few bytes changed, dropped, doubled or added; the first, which names the parser, stays.
    private func damage(_ input: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = Array(input.dropFirst())
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let byte =
                Bool.random(using: &random)
                ? UInt8.random(in: 0...255, using: &random) : input.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where place < bytes.count: bytes[place] = byte
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2: bytes += bytes[..<place].suffix(20)
            default: bytes.insert(byte, at: place)
            }
        }
        return input.prefix(1) + bytes
    }

    @Test("there is an input for each parser")
    func complete() throws {
        let parsers = Set(try Self.names.compactMap { try input($0).first })
        #expect(Set(ParserProperty.allCases.map(\.rawValue)).isSubset(of: parsers))
    }
}
