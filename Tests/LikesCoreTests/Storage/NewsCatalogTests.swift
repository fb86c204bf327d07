import TestSupport
import Testing

@testable import LikesCore

@Suite("The catalog keeps news by id and by handle")
struct NewsCatalogTests {
    private func news(_ id: String, title: String = "") throws -> News { News(id: try NewsID(id), title: title) }

    @Test("a news is found until it is removed; then its handle is used again, with another serial")
    func handleIsUsedAgain() throws {
        let catalog = NewsCatalog()
        let first = catalog.add(try news("a"), createdAt: .some, author: nil)
        let second = catalog.add(try news("b"), createdAt: .some, author: 3)
        #expect(catalog.find(NewsID("a")) == first)
        #expect(catalog[second].author == 3)
        let serial = catalog[first].serial
        catalog.remove(first)
        #expect(catalog.find(NewsID("a")) == nil)
        #expect(catalog.count == 1)
        let third = catalog.add(try news("a"), createdAt: .some, author: nil)
        #expect(third == first)
        #expect(catalog[third].serial != serial)
        #expect(catalog.find(NewsID("b")) == second)
        #expect(catalog.count == 2)
    }

    @Test("a news that is leaving exists for nobody but the deletion")
    func leaving() throws {
        let catalog = NewsCatalog()
        let handles = try ["a", "b", "c"].map { catalog.add(try news($0), createdAt: .some, author: nil) }
        catalog.beginRemoval(handles[2])
        catalog.beginRemoval(handles[0])
        #expect(catalog.find(NewsID("a")) == nil)
        #expect(catalog.findStored(NewsID("a")) == handles[0])
        #expect(catalog.isLeaving(handles[0]))
        #expect(!catalog.isLeaving(handles[1]))
        #expect(catalog.leavingHandles == [handles[0], handles[2]])
        #expect(catalog.count == 1)
        catalog.remove(handles[0])
        #expect(catalog.findStored(NewsID("a")) == nil)
        #expect(catalog.leavingHandles == [handles[2]])
        #expect(catalog.count == 1)
        let again = catalog.add(try news("d"), createdAt: .some, author: nil)
        #expect(again == handles[0])
        #expect(!catalog.isLeaving(again))
    }

    @Test("the newest comes first, and of equally old ones the one whose id has the lower bytes")
    func order() throws {
        let catalog = NewsCatalog()
        let ids = ["b", "abcdefghi", "a", "abcdefgh", "abcdefg", "é", "abcdefghj", "z"]
        for id in ids { _ = catalog.add(try news(id), createdAt: .some, author: nil) }
        let newest = catalog.add(try news("zz"), createdAt: Timestamp(milliseconds: .max), author: nil)
        func sorted() -> [String] {
            (0..<UInt32(catalog.handleCount)).sorted { catalog.comes($0, before: $1, catalog.sortKey($1)) }
                .map { catalog[$0].news.id.text }
        }
        let rest = ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(sorted() == ["zz"] + rest)
        var changed = try news("zz")
        changed = News(id: changed.id, title: "", publishedAt: Timestamp(milliseconds: -1))
        catalog.update(newest, to: changed, author: nil)
        #expect(sorted() == rest + ["zz"])
    }

    @Test("an update keeps the time of making and the serial")
    func update() throws {
        let catalog = NewsCatalog()
        let made = Timestamp(milliseconds: 5)
        let handle = catalog.add(try news("a", title: "old"), createdAt: made, author: 1)
        let serial = catalog[handle].serial
        catalog.update(handle, to: try news("a", title: "new"), author: 2)
        #expect(catalog[handle].news.title == "new")
        #expect(catalog[handle].createdAt == made)
        #expect(catalog[handle].serial == serial)
        #expect(catalog[handle].author == 2)
    }

    @Test("news come and go in great numbers", arguments: seeds(2))
    func equalsDictionary(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let catalog = NewsCatalog()
        var handles: [String: UInt32] = [:]
        for _ in 0..<8_000 {
            let id = "n\(Int.random(in: 0..<900, using: &random))"
            if let handle = handles[id] {
                try #require(catalog.find(try NewsID(id)) == handle)
                catalog.remove(handle)
                handles[id] = nil
            } else {
                try #require(catalog.find(try NewsID(id)) == nil)
                handles[id] = catalog.add(try news(id), createdAt: .some, author: nil)
            }
        }
        #expect(catalog.count == handles.count)
        #expect(Set(handles.values).count == handles.count)
        for (id, handle) in handles { #expect(catalog[handle].news.id == (try NewsID(id))) }
    }
}
