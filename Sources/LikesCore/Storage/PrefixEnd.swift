extension RandomAccessCollection where Index == Int {
    /// Where the elements end, from the first one on, of which something holds: found by halving, so it must hold of none
    /// behind those, as with a bound in a sorted list.
    @inlinable
    package func prefixEnd(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
