internal import CZlib

/// Compression into the format of gzip (RFC 1952), by zlib.
enum Gzip {
    /// What bytes look like compressed, as small as zlib makes them.
    static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var stream = unsafe z_stream()
        // It fails for want of memory only, and that ends the process anyway.
        precondition(unsafe likesd_begin_gzip(&stream) == Z_OK, "zlib cannot begin")
        defer { unsafe deflateEnd(&stream) }
        let bound = unsafe Int(deflateBound(&stream, UInt(bytes.count)))
        return unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            unsafe bytes.withUnsafeBufferPointer { input in
                // zlib only reads what it compresses.
                unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.avail_in = UInt32(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(output.count)
                precondition(unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END, "so much room is enough for any bytes")
            }
            count = unsafe output.count - Int(stream.avail_out)
        }
    }
}
