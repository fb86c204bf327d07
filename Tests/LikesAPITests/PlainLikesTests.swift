import LikesCore
import Testing

@testable import LikesAPI

@Suite("Likes that are read without a tree")
struct PlainLikesTests {
    private func entries(_ text: String) -> [BatchEntry<ToggleRequest>]? { PlainLikes.entries(Array(text.utf8)) }

    private let like = #"{"op":"like","news":"9","user":"ada"}"#

    @Test("likes and unlikes, with members in any order and white space between them")
    func taken() throws {
        let text = " [\(like) ,\n\t{ \"user\" : \"b-2\" , \"news\" : \"a b\" , \"op\" : \"unlike\" } ]\r\n"
        let read = try #require(entries(text)).map { entry throws -> ToggleRequest in
            guard case .request(let like) = entry else { throw Unread() }
            return like
        }
        #expect(read.map(\.liked) == [true, false])
        #expect(read.map(\.news.text) == ["9", "a b"])
        #expect(read.map(\.user.text) == ["ada", "b-2"])
        #expect(read.allSatisfy { $0.at == nil })
    }

    private struct Unread: Error {}

    @Test(
        "what is written otherwise, or wrong, is left to the tree",
        arguments: [
            "", "[]", "[", "{}", "[{}]", "7",
            // The form of the array.
            #"{"likes":[{"op":"like","news":"9","user":"ada"}]}"#, #"[{"op":"like","news":"9","user":"ada"},]"#,
            #"[{"op":"like","news":"9","user":"ada"}"#, #"[{"op":"like","news":"9","user":"ada"}]x"#,
            #"[{"op":"like","news":"9","user":"ada"} {"op":"like","news":"9","user":"ada"}]"#,
            #"[{"op":"like","news":"9","user":"ada",}]"#, #"[{"op":"like" "news":"9","user":"ada"}]"#,
            // Members.
            #"[{"op":"love","news":"9","user":"ada"}]"#, #"[{"op":"like","news":"9"}]"#,
            #"[{"news":"9","user":"ada"}]"#, #"[{"op":"like","user":"ada"}]"#,
            #"[{"op":"like","news":9,"user":"ada"}]"#, #"[{"op":"like","news":"9","user":"ada","x":"1"}]"#,
            #"[{"op":"like","news":"9","user":"ada","at":"2026-11-30T10:00:00Z"}]"#,
            #"[{"op":"like","op":"like","news":"9","user":"ada"}]"#,
            #"[{"op":"like","news":"9","news":"9","user":"ada"}]"#,
            #"[{"op":"like","news":"","news":"9","user":"ada"}]"#,
            #"[{"op":"like","news":"9","user":"..","user":"ada"}]"#,
            // Texts.
            #"[{"op":"like","news":"..","user":"ada"}]"#, #"[{"op":"like","news":"\u0039","user":"ada"}]"#,
            #"[{"op":"like","news":"9","user":"é"}]"#, "[{\"op\":\"like\",\"news\":\"9\",\"user\":\"a\nb\"}]",
            "[{\"op\":\"like\",\"news\":\"9\",\"user\":\"a\u{7F}b\"}]", #"[{"op":"like","news":"9","user":"ada]"#,
        ])
    func left(text: String) { #expect(entries(text) == nil) }

    @Test("more entries than a batch may have are left to who refuses them")
    func tooMany() {
        let many = Array(repeating: like, count: Limits.batchEntries)
        #expect(entries("[" + many.joined(separator: ",") + "]")?.count == Limits.batchEntries)
        #expect(entries("[" + (many + [like]).joined(separator: ",") + "]") == nil)
    }
}
