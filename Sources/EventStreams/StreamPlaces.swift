package import MicroHTTP
internal import Threading

/// The places for readers: so many in all, and from one address.
package final class StreamPlaces: Sendable {
    private struct State {
        var taken = 0
        var filterEntries = 0
        var refused = 0
        var byAddress: [ClientAddress: Int] = [:]
    }

    let limit: Int
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
        /// All readers together ask for as many news and users by name as they may.
        case fullOfFilters(limit: Int)
    }

    /// A place that somebody has; given back when nobody holds it.
    package final class Place: Sendable {
        private let places: StreamPlaces
        private let address: ClientAddress
        private let filterEntries: Int

        fileprivate init(_ places: StreamPlaces, _ address: ClientAddress, filterEntries: Int) {
            self.places = places
            self.address = address
            self.filterEntries = filterEntries
        }

        deinit { places.giveBack(address, filterEntries: filterEntries) }
    }

    /// Takes a place for a client that wants to hear of what a filter lets through.
    package func take(_ address: ClientAddress, _ filter: EventFilter = EventFilter()) throws(Refusal) -> Place {
        let own = addressLimit ?? (address.isLoopback ? .max : StreamLimits.readersPerAddress)
        let refusal = state.withLock { state in
            let refusal = reason(state, state.byAddress[address] ?? 0, own, filter.entries)
            if refusal == nil {
                state.taken += 1
                state.filterEntries += filter.entries
                state.byAddress[address, default: 0] += 1
            } else {
                state.refused += 1
            }
            return refusal
        }
        if let refusal { throw refusal }
        return Place(self, address, filterEntries: filter.entries)
    }

    /// Why a client gets no place, if it gets none.
    private func reason(_ state: State, _ taken: Int, _ own: Int, _ entries: Int) -> Refusal? {
        if state.taken >= limit { return .full(limit: limit) }
        if taken >= own { return .fullForAddress(limit: own) }
        if state.filterEntries + entries > StreamLimits.filterEntries, entries > 0 {
            return .fullOfFilters(limit: StreamLimits.filterEntries)
        }
        return nil
    }

    /// The places that are taken.
    package var taken: Int { state.withLock { $0.taken } }

    /// How many clients were refused, ever.
    var refused: Int { state.withLock { $0.refused } }

    private func giveBack(_ address: ClientAddress, filterEntries: Int) {
        state.withLock { state in
            state.taken -= 1
            state.filterEntries -= filterEntries
            let left = (state.byAddress[address] ?? 1) - 1
            state.byAddress[address] = left == 0 ? nil : left
        }
    }
}
