import TestSupport
import Testing

@testable import LikesCore

@Suite("Ids of merged news lead to the news that is left")
struct NewsRedirectsTests {
    private func text(_ redirects: NewsRedirects) -> [String] {
        redirects.pairs.map { "\($0.old.text) > \($0.target.text)" }
    }

    @Test("a chain is flattened from either end, and the pairs come in the order of the old ids' bytes")
    func chains() {
        var redirects = NewsRedirects()
        #expect(redirects.isEmpty && redirects["b"] == nil && !redirects.lead(to: "c"))
        redirects.add("b", to: "c")
        redirects.add("é", to: "c")
        redirects.add("a", to: "c")
        redirects.add("c", to: "d")
        redirects.add("x", to: "y")
        redirects.add("y", to: "d")
        #expect(text(redirects) == ["a > d", "b > d", "c > d", "x > d", "y > d", "é > d"])
        #expect(redirects["a"] == "d" && redirects["y"] == "d" && redirects["d"] == nil)
        #expect(redirects.lead(to: "d") && !redirects.lead(to: "c") && !redirects.lead(to: "y"))
        #expect(text(NewsRedirects(pairs: redirects.pairs)) == text(redirects))
    }

    @Test("without the target all that led there is free, and nothing else")
    func freed() {
        var redirects = NewsRedirects(pairs: [(old: "a", target: "b"), (old: "x", target: "y")])
        redirects.add("b", to: "c")
        let copy = redirects
        redirects.free(leadingTo: "c")
        redirects.free(leadingTo: "c")
        #expect(text(redirects) == ["x > y"])
        redirects.free(leadingTo: "y")
        #expect(redirects.isEmpty)
        #expect(text(copy) == ["a > c", "b > c", "x > y"])
    }

    @Test("they are what following each merge step by step leads to", arguments: seeds(5))
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var redirects = NewsRedirects()
        var steps: [NewsID: NewsID] = [:]
        for _ in 0..<2_000 {
            let (one, other) = (
                NewsID.news(.random(in: 0..<40, using: &random)), NewsID.news(.random(in: 0..<40, using: &random))
            )
            guard one != other, steps[one] == nil, steps[other] == nil else { continue }
            if random.once(in: 3) {
                redirects.free(leadingTo: one)
                var freed: Set<NewsID> = [one]
                while let next = steps.first(where: { freed.contains($0.value) })?.key {
                    freed.insert(next)
                    steps[next] = nil
                }
            } else {
                redirects.add(one, to: other)
                steps[one] = other
            }
            let expected = steps.keys.sorted().map { old in
                var target = old
                while let next = steps[target] { target = next }
                return "\(old.text) > \(target.text)"
            }
            #expect(text(redirects) == expected)
        }
    }

    /// A chain of 50,000 merges, and as many into one: each moves one id only.
    @Test("many merges in a row are quick", .timeLimit(.minutes(1)))
    func many() {
        var redirects = NewsRedirects()
        for number in 0..<50_000 { redirects.add(.news(number), to: .news(number + 1)) }
        #expect(redirects["n0"] == "n50000")
        for number in 60_000..<110_000 { redirects.add(.news(number), to: "n50000") }
        redirects.add("n50000", to: "end")
        #expect(redirects.pairs.count == 100_001)
        redirects.free(leadingTo: "end")
        #expect(redirects.isEmpty)
    }
}
