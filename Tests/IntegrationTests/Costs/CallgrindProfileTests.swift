import Testing

/// What reads the counts of callgrind, given a few lines of them.
@Suite struct CallgrindProfileTests {
    private static let text = """
        version: 1
        positions: line
        events: Ir
        summary: 5060

        ob=/usr/lib/libc.so.6
        fl=???
        fn=memcpy
        0 4000

        ob=/bin/likesd
        fl=One.swift
        fn=outer
        0 10
        cob=/usr/lib/libc.so.6
        cfn=memcpy
        calls=3 0
        0 4000
        fi=Two.swift
        0 20
        cfn=inner
        calls=1 0
        0 1030
        fn=inner
        0
        0 30
        cfn=inner'2
        calls=7 0
        0 1000

        fn=inner'2
        0 1000

        totals: 5060
        """

    @Test func `Functions of the object count what they execute themselves, in all their recursions`() throws {
        let profile = try CallgrindProfile(Self.text, object: "/bin/likesd")
        #expect(profile.functions == ["outer": 30, "inner": 1_030])
        #expect(profile.total == 1_060)
        let first = try #require(profile.mostExpensive(1).first)
        #expect(first == ("inner", 1_030))
    }

    @Test func `Costs of more than one event are refused`() {
        #expect(throws: Failure.self) { try CallgrindProfile("ob=a\nfn=f\n0 1 2\n", object: "a") }
    }
}
