/// How many instructions each function of one object executed itself: what `callgrind` has written, with
/// `--compress-strings=no`.
struct CallgrindProfile {
    /// The instructions by function, as the linker names it.
    private(set) var functions: [String: Int] = [:]

    /// All instructions of the object.
    var total: Int { functions.values.reduce(0, +) }

    /// Reads the costs of the functions in the object of this path.
    init(_ text: String, object path: String) throws {
        var (isOfObject, isOfCall) = (false, false)
        var function = ""
        for line in text.utf8.split(separator: 10) {
            if let object = line.value(of: "ob=") {
                isOfObject = object == path
            } else if let name = line.value(of: "fn=") {
                // Calls of a function by itself are counted as those of another: name'2.
                function = name.split(separator: "'").first.map(String.init) ?? name
            } else if line.value(of: "calls=") != nil {
                isOfCall = true
            } else if let first = line.first, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9") {
                // Below the number of calls stands what they cost in all; that is in the lines of the called, too.
                if isOfObject, !isOfCall { functions[function, default: 0] += try line.cost }
                isOfCall = false
            }
        }
    }

    /// The functions that executed the most, each with its instructions.
    func mostExpensive(_ count: Int) -> [(name: String, instructions: Int)] {
        functions.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(count).map { ($0.key, $0.value) }
    }
}

extension Substring.UTF8View {
    /// What is behind a key, when the line begins with it.
    fileprivate func value(of key: String) -> String? {
        starts(with: key.utf8) ? String(Substring(dropFirst(key.utf8.count))) : nil
    }

    /// The cost in a line with a place and a cost. Without a cost, nothing was executed there.
    fileprivate var cost: Int {
        get throws {
            let numbers = split(separator: 32)
            guard numbers.count > 1 else { return 0 }
            guard numbers.count == 2, let cost = Int(Substring(numbers[1])) else {
                throw Failure("not a line of costs: \(Substring(self))")
            }
            return cost
        }
    }
}
