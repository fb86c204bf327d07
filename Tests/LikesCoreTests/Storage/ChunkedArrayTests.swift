import Testing

@testable import LikesCore

@Suite("A chunked array keeps what it has while it grows")
struct ChunkedArrayTests {
    @Test("new places hold the filler, old ones what was put there")
    func keepsValues() {
        var array = ChunkedArray<UInt32>(filler: 77)
        var sizes = [1, 2, 4_095, 4_096, 4_097, 8_192, 65_536, 65_537, 140_000]
        var size = 0
        while !sizes.isEmpty {
            let grown = sizes.removeFirst()
            array.grow(to: grown)
            #expect(array.count == grown)
            for index in size..<grown {
                if array[index] != 77 { Issue.record("place \(index) of \(grown) is not the filler") }
                array[index] = UInt32(index)
            }
            size = grown
        }
        for index in 0..<size where array[UInt32(index)] != UInt32(index) { Issue.record("place \(index) has changed") }
    }

    @Test("growing to less changes nothing")
    func neverShrinks() {
        var array = ChunkedArray<UInt64>(filler: 1)
        array.grow(to: 5_000)
        array[4_999] = 2
        array.grow(to: 10)
        #expect(array.count == 5_000)
        #expect(array[4_999] == 2)
    }

    @Test("a place behind a jump over many chunks")
    func growsByJumps() {
        var array = ChunkedArray<UInt8>(filler: 3)
        array.grow(to: 1)
        array.grow(to: 1_000_000)
        #expect(array[0] == 3)
        #expect(array[999_999] == 3)
        #expect(array[500_000] == 3)
    }
}
