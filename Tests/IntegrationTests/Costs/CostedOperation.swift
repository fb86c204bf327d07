/// A kind of request, and what one of them may cost the server at most.
///
/// This table is the gate. `make test` prints what each operation costs now: when a change makes one cheaper, lower its
/// limit; when a change has to make one dearer, raise it, and say in the commit what the callers get for it.
struct CostedOperation: Sendable {
    let name: String
    /// Calls of malloc and its relatives in the whole process, to the nearest whole number.
    ///
    /// Of these libmicrohttpd makes 2 for each answer and 3 for each header field that we give to it: 14 for a detail.
    var allocations: Int?
    /// Instructions in the binary itself, with what is linked in, Swift's runtime and libmicrohttpd, and without the other
    /// libraries: a tenth more than measured.
    var instructions: Int?
    /// Over how many requests the instructions are counted at a time.
    var requests = 160
    /// The request of this number: 0, 1, 2 ...
    let request: @Sendable (Int) -> WireRequest

    /// All of them, in the order in which they are done: what is liked first is unliked later.
    static let all = [
        CostedOperation(name: "GET detail with 3 likers", allocations: 22, instructions: 22_500) { _ in
            WireRequest("GET", "/v1/news/news0001")
        },
        CostedOperation(name: "GET feed of 10, viewer", allocations: 44) { _ in feed(of: 10) },
        CostedOperation(name: "GET feed of 20, viewer", allocations: 45, instructions: 77_600, requests: 80) { _ in
            feed(of: 20)
        },
        CostedOperation(name: "GET counts of 10, viewer", allocations: 26) { _ in counts(of: 10) },
        CostedOperation(name: "GET counts of 100, viewer", allocations: 29, instructions: 316_500, requests: 32) { _ in
            counts(of: 100)
        },
        CostedOperation(name: "GET profile", allocations: 20) { _ in WireRequest("GET", "/v1/profiles/user0001") },
        CostedOperation(name: "PUT like, new", allocations: 30, instructions: 41_500) { like("PUT", $0) },
        CostedOperation(name: "PUT like, once more", allocations: 23) { _ in
            WireRequest("PUT", "/v1/news/news0001/likes/user0001")
        },
        CostedOperation(name: "DELETE like", allocations: 29) { like("DELETE", $0) },
        CostedOperation(name: "POST 1,000 likes", instructions: 16_700_000, requests: 1, request: batch),
    ]

    /// How many allocations a list may take for all of its further entries together; none for each.
    static let forFurtherEntries = 4
    /// A short list, and the same longer.
    static let lists = [
        ("GET feed of 10, viewer", "GET feed of 20, viewer"), ("GET counts of 10, viewer", "GET counts of 100, viewer"),
    ]

    /// Makes the news, and three likes of each.
    static func prepare(_ api: API) async throws {
        let news = (0..<100).map { number -> JSON in
            [
                "id": .string(newsName(number)), "title": "A title of a usual length, in words",
                "author": "ada",
            ]
        }
        try await api.post("/v1/news", .array(news)).succeeded()
        let likes = (0..<300).map { number -> JSON in
            ["op": "like", "news": .string(newsName(number)), "user": .string(userName(number / 100))]
        }
        try await api.post("/v1/likes", .array(likes)).succeeded()
    }

    private static func newsName(_ number: Int) -> String { "news" + padded(number % 100) }
    private static func userName(_ number: Int) -> String { "user" + padded(number) }
    private static func padded(_ number: Int) -> String { String(String(10_000 + number).dropFirst()) }

    private static func feed(of count: Int) -> WireRequest {
        WireRequest("GET", "/v1/feed?limit=\(count)&viewer=user0001")
    }

    private static func counts(of count: Int) -> WireRequest {
        let news = (0..<count).map { "&news=" + newsName($0) }.joined()
        return WireRequest("GET", "/v1/counts?viewer=user0001" + news)
    }

    private static func like(_ method: String, _ number: Int) -> WireRequest {
        WireRequest(method, "/v1/news/\(newsName(number))/likes/liker\(padded(number))")
    }

    @Sendable private static func batch(_ number: Int) -> WireRequest {
        let likes = (0..<1_000).map { place in
            #"{"op":"like","news":"\#(newsName(place))","user":"reader\#(number)-\#(place / 4)"}"#
        }
        return WireRequest("POST", "/v1/likes", body: "[" + likes.joined(separator: ",") + "]")
    }
}
