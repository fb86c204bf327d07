internal import Glibc
internal import ParserProperties

/// What libFuzzer calls with each input that it makes up; the name is its own.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // Safety: libFuzzer lends `count` bytes for the length of the call.
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do throws(Violation) {
        // Of an input that is for no parser nothing is to be learnt: -1 keeps it out of the corpus.
        return try ParserProperty.check(input) ? 0 : -1
    } catch {
        print("a property does not hold: \(error)")
        fflush(nil)
        // libFuzzer keeps the input and tells where it is.
        abort()
    }
}
