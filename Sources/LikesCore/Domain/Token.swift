/// The random name of a journal, in tokens: 16 hexadecimal digits.
package struct Epoch: Sendable, Equatable {
    /// The digits.
    package let text: String

    /// A new one.
    package static func random() -> Epoch {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return Epoch(text: String(repeating: "0", count: 16 - digits.count) + digits)
    }

    /// One that was kept.
    package init(text: String) { self.text = text }

    /// One out of a token; nil when these are not its digits.
    fileprivate init?(digits: Substring.UTF8View) {
        guard digits.count == 16, digits.allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }) else { return nil }
        text = String(Substring(digits))
    }
}

/// A place in the order of everything, as callers see it: `<epoch>.<sequence>`.
package struct Token: Sendable, Equatable {
    /// The journal's name.
    package let epoch: Epoch
    /// The last event that the place comes after.
    package let sequence: UInt64

    package init(epoch: Epoch, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// A token that a caller gives back; nil when no journal ever gave it out.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, let epoch = Epoch(digits: parts[0]), let number = String(parts[1]),
            let sequence = UInt64(number), String(sequence) == number
        else { return nil }
        self.init(epoch: epoch, sequence: sequence)
    }

    /// The token as callers see it.
    package var text: String { text(between: "", and: "") }

    /// The token with a word before it and one after it.
    ///
    /// Every answer has two of them: written in one go, which costs a fifth of appending one text to another.
    package func text(between start: StaticString, and end: StaticString) -> String {
        var epoch = epoch.text
        let fixed = start.utf8CodeUnitCount + epoch.utf8.count + 1 + end.utf8CodeUnitCount
        let digitCount = decimalDigitCount(of: sequence)
        return unsafe String(unsafeUninitializedCapacity: fixed + digitCount) { room in
            // Safety: what is put in is what the room was made for.
            guard var place = room.baseAddress else { return 0 }
            func put(_ bytes: UnsafeBufferPointer<UInt8>) {
                guard let source = bytes.baseAddress else { return }
                unsafe place.initialize(from: source, count: bytes.count)
                unsafe place += bytes.count
            }
            start.withUTF8Buffer { unsafe put($0) }
            epoch.withUTF8 { unsafe put($0) }
            unsafe place.initialize(to: UInt8(ascii: "."))
            var rest = sequence
            for index in stride(from: digitCount, to: 0, by: -1) {
                unsafe (place + index).initialize(to: UInt8(truncatingIfNeeded: 48 + rest % 10))
                rest /= 10
            }
            unsafe place += 1 + digitCount
            end.withUTF8Buffer { unsafe put($0) }
            return fixed + digitCount
        }
    }

    private func decimalDigitCount(of number: UInt64) -> Int {
        var (rest, count) = (number / 10, 1)
        while rest > 0 {
            rest /= 10
            count += 1
        }
        return count
    }
}
