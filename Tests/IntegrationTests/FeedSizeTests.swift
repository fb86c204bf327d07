import Foundation
import Testing

/// Pages of the feed when its news are large.
@Suite struct FeedSizeTests {
    private static let count = 120

    /// News with as many properties as are allowed; every third of what takes six bytes for one in JSON.
    private func news(_ number: Int) -> JSON {
        let letter = number % 3 == 0 ? "\u{1}" : "x"
        let properties = (0..<4).map { ("key\($0)", JSON.string(String(repeating: letter, count: 4_080))) }
        return [
            "id": .string("\(number)"), "title": "t", "publishedAt": .string("\(2099 - number / 12)-01-01T00:00:00Z"),
            "baseLikes": .integer(Int64(number % 7)),
            "properties": .object(Dictionary(uniqueKeysWithValues: properties)),
        ]
    }

    @Test func `A page of large news ends early, and all pages together have each news once, in order`() async throws {
        try await withServer { server in
            let api = server.api
            let numbers = Array(0..<FeedSizeTests.count)
            let made = try await api.post("/v1/news", .array(numbers.map(news))).succeeded()
            #expect(made.json["failed"] == 0)
            let newest = numbers.sorted { ($0 / 12, "\($0)") < ($1 / 12, "\($1)") }
            let top = newest.sorted { $0 % 7 > $1 % 7 }
            for (sort, order) in [("newest", newest), ("top", top)] {
                for limit in [50, 1_000] {
                    let pages = try await api.pages("/v1/feed", limit: limit, sort: sort)
                    let ids = pages.flatMap { $0.json["news"].elements }.compactMap { $0["id"].string }
                    #expect(ids == order.map { "\($0)" }, "\(sort), \(limit) a page")
                    for page in pages { #expect(page.body.count <= 1_200_000) }
                    // 40 news of 98 KiB, and 80 of 16 KiB.
                    #expect(pages.count >= 5)
                    for page in pages.dropLast() {
                        #expect(page.body.count > 1 << 20 || page.json["news"].elements.count == limit)
                        #expect(page.headers["link"]?.contains("limit=\(limit)") == true)
                    }
                }
            }
        }
    }
}
