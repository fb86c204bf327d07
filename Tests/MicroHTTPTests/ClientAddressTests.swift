import MicroHTTP
import Testing
import Threading

@Suite struct ClientAddressTests {
    /// 2001:db8::/32, which belongs to nobody.
    private static let high: UInt64 = 0x2001_0DB8_0000_0001
    private static let mapped: UInt64 = 0xFFFF_0000_0000

    @Test func anIPv4AddressIsItsOwn() {
        #expect(ClientAddress(ipv4: 0x0A00_0001) == ClientAddress(ipv4: 0x0A00_0001))
        #expect(ClientAddress(ipv4: 0x0A00_0001) != ClientAddress(ipv4: 0x0A00_0002))
    }

    @Test func anIPv6AddressIsItsFirstHalf() {
        let one = ClientAddress(ipv6: Self.high, 1)
        #expect(one == ClientAddress(ipv6: Self.high, 2))
        #expect(one == ClientAddress(ipv6: Self.high, .max))
        #expect(one != ClientAddress(ipv6: Self.high + 1, 1))
        #expect(one.hashValue == ClientAddress(ipv6: Self.high, .max).hashValue)
    }

    @Test func anIPv6AddressThatStandsForAnIPv4AddressIsThat() {
        for address: UInt32 in [0x0A00_0001, 0x7F00_0001, 0, .max] {
            let plain = ClientAddress(ipv4: address)
            let asIPv6 = ClientAddress(ipv6: 0, Self.mapped | UInt64(address))
            #expect(plain == asIPv6)
            #expect(plain.isLoopback == asIPv6.isLoopback)
        }
        // Others with the same bits are not.
        #expect(ClientAddress(ipv6: 0x0A00_0001, 0) != ClientAddress(ipv4: 0x0A00_0001))
        #expect(ClientAddress(ipv6: 0, 0x0A00_0001) != ClientAddress(ipv4: 0))
        #expect(ClientAddress(ipv6: 1, Self.mapped | 0x7F00_0001) != ClientAddress(ipv4: 0x7F00_0001))
    }

    @Test func thisMachineIsKnownByAllItsAddresses() {
        for address: UInt32 in [0x7F00_0001, 0x7F00_0000, 0x7FFF_FFFF] {
            #expect(ClientAddress(ipv4: address).isLoopback)
            #expect(ClientAddress(ipv6: 0, Self.mapped | UInt64(address)).isLoopback)
        }
        #expect(ClientAddress(ipv6: 0, 1).isLoopback)
    }

    @Test func noOtherIsTakenForIt() {
        for address: UInt32 in [0, 1, 0x7E00_0001, 0x8000_0001, 0x0A00_0001, .max] {
            #expect(!ClientAddress(ipv4: address).isLoopback)
            #expect(!ClientAddress(ipv6: 0, Self.mapped | UInt64(address)).isLoopback)
        }
        for (high, low) in [(0, 0), (0, 2), (1, 1), (Self.high, 1), (0xFE80_0000_0000_0000, 1)] as [(UInt64, UInt64)] {
            #expect(!ClientAddress(ipv6: high, low).isLoopback)
        }
    }

    @Test(arguments: [false, true]) func aRequestKnowsWhoSentIt(overIPv6: Bool) throws {
        let seen = Locked<[ClientAddress?]>([])
        let server = try HTTPServer(
            configuration: HTTPServer.Configuration(port: 0),
            application: Application(
                admit: { _ in .accept(maximumBody: 0) },
                respond: { request in
                    seen.withLock { $0.append(request.client) }
                    return .now(Response(status: 200))
                },
                refuse: { _ in Response(status: 500) }))
        server.start()
        defer { server.stop(deadlineMilliseconds: 0) }
        let client = try #require(Client(port: server.port, ipv6: overIPv6))
        #expect(client.ask(get("/"))?.status == 200)
        let expected = overIPv6 ? ClientAddress(ipv6: 0, 1) : ClientAddress(ipv4: 0x7F00_0001)
        #expect(seen.withLock { $0 } == [expected])
    }
}
