internal import CMicroHTTPD
internal import Glibc

/// A request as it arrived, valid only during the call it is passed to.
@safe package struct Request: ~Copyable {
    // Safety: `connection` and `exchange` belong to the request being handled, and a borrowed value cannot outlive the call.
    private let connection: OpaquePointer
    private unowned(unsafe) let exchange: Exchange
    private let head: RequestHead
    private let authority: String?

    /// The method, known to be a token.
    package let method: Method
    /// The target in origin form, path and query as they came: nothing decoded, no fragment. `*` only with OPTIONS.
    package let uri: [UInt8]
    /// The whole body; empty during `admit`.
    package let body: [UInt8]
    /// Whether the client speaks HTTP/1.1 or later.
    package let isHTTP11: Bool

    init(
        connection: OpaquePointer, exchange: Exchange, head: RequestHead, method: Method, uri: [UInt8],
        authority: String?, body: [UInt8], isHTTP11: Bool
    ) {
        unsafe self.connection = unsafe connection
        unsafe self.exchange = exchange
        self.head = head
        self.authority = authority
        self.method = method
        self.uri = uri
        self.body = body
        self.isHTTP11 = isHTTP11
    }

    /// Sets what `Observation.mark` will say of the request: a number that means something to the program.
    package func mark(_ number: Int) { unsafe exchange.mark = number }

    /// The declared length of the body in bytes; nil if none is declared.
    package var contentLength: UInt64? { head.contentLength }

    /// Who sends it; nil when it is gone already.
    package var client: ClientAddress? { ClientAddress(of: unsafe mhd_shim_connection_descriptor(connection)) }

    /// Whether it is `OPTIONS *`, which is about the server and no path of it.
    package var isAboutServer: Bool { uri.count == 1 && uri[0] == UInt8(ascii: "*") }

    /// Whether a body was announced: a length above zero, or chunks.
    package var hasBody: Bool { head.hasBody }

    /// Whether whom the request is for keeps to a rule: the authority of a target in absolute form, which overrides `Host`
    /// (RFC 9112, 3.2.2). Nil when it names nobody.
    package func hostKeeps(_ rule: (Span<UInt8>) -> Bool) -> Bool? {
        if let authority { return rule(authority.utf8.span) }
        guard let value = unsafe value(of: "Host") else { return nil }
        return unsafe rule(Span(_unsafeElements: value.bindMemory(to: UInt8.self)))
    }

    /// The first value of a header field, its name in any case; without space around it, invalid UTF-8 is repaired.
    package func header(_ name: StaticString) -> String? {
        unsafe value(of: name).map { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of `header`, in the memory of the connection.
    private func value(of name: StaticString) -> UnsafeRawBufferPointer? {
        // Most are asked for in vain: the library would compare their names with that of every field.
        guard head.mayHaveField(nameLength: name.utf8CodeUnitCount) else { return nil }
        let start = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        var (value, size): (UnsafePointer<CChar>?, Int) = (nil, 0)
        let isThere = unsafe MHD_lookup_connection_value_n(
            connection, .HEADER_KIND, start, name.utf8CodeUnitCount, &value, &size)
        guard isThere == .YES else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : size)
        return unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(lengthWithoutSpace(bytes)))
    }
}
