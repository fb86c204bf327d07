import Glibc

extension UnsafeRawBufferPointer {
    /// Where a text begins, at this place or later; nil when it is not there.
    func firstPlace(of text: String, from start: Int = 0) -> Int? {
        let wanted = Array(text.utf8)
        guard let base = baseAddress else { return nil }
        var place = start
        while place + wanted.count <= count {
            guard let found = unsafe memchr(base + place, Int32(wanted[0]), count - wanted.count + 1 - place) else {
                return nil
            }
            place = unsafe UnsafeRawPointer(found) - base
            if unsafe memcmp(base + place, wanted, wanted.count) == 0 { return place }
            place += 1
        }
        return nil
    }
}
