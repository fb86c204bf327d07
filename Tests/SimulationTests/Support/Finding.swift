/// Something that is not as the contract says: it ends a simulation.
struct Finding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Sees that what the program says is what the model says.
///
/// - Parameter what: made only when it is needed, since most of the time all is well.
func compare<Value: Equatable>(
    _ said: Value, _ expected: Value, _ what: @autoclosure () -> String
) throws(Finding) {
    if said != expected { throw Finding("\(what()): the program says \(said), and the model \(expected)") }
}

/// Sees that something holds.
func require(_ holds: Bool, _ what: @autoclosure () -> String) throws(Finding) {
    if !holds { throw Finding(what()) }
}
