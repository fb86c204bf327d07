package import MicroHTTP
internal import Threading

/// The places for readers: so many in all, and from one address.
package final class StreamPlaces: Sendable {
    private struct State {
        var taken = 0
        var byAddress: [ClientAddress: Int] = [:]
    }

    private let limit: Int
    private let addressLimit: Int?
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: of all readers.
    ///   - addressLimit: of those from one address. Nil for the usual one, which does not hold for this machine itself.
    package init(limit: Int, addressLimit: Int?) {
        self.limit = limit
        self.addressLimit = addressLimit
    }

    /// Why there is no place.
    package enum Refusal: Error, Equatable {
        /// All are taken.
        case full(limit: Int)
        /// This address has as many as it may have.
        case fullForAddress(limit: Int)
    }

    /// A place that somebody has; given back when nobody holds it.
    package final class Place: Sendable {
        private let places: StreamPlaces
        private let address: ClientAddress

        fileprivate init(_ places: StreamPlaces, _ address: ClientAddress) {
            self.places = places
            self.address = address
        }

        deinit { places.giveBack(address) }
    }

    /// Takes a place for a client.
    package func take(_ address: ClientAddress) throws(Refusal) -> Place {
        let own = addressLimit ?? (address.isLoopback ? .max : StreamLimits.readersPerAddress)
        let refusal: Refusal? = state.withLock { state in
            if state.taken >= limit { return .full(limit: limit) }
            let before = state.byAddress[address] ?? 0
            if before >= own { return .fullForAddress(limit: own) }
            state.taken += 1
            state.byAddress[address] = before + 1
            return nil
        }
        if let refusal { throw refusal }
        return Place(self, address)
    }

    /// The places that are taken.
    package var taken: Int { state.withLock { $0.taken } }

    private func giveBack(_ address: ClientAddress) {
        state.withLock { state in
            state.taken -= 1
            let left = (state.byAddress[address] ?? 1) - 1
            state.byAddress[address] = left == 0 ? nil : left
        }
    }
}
