import CZlib

/// The gzip content coding (RFC 1952), through zlib.
enum Gzip {
    /// Below this an answer gains nothing.
    static let smallestContent = 1_024

    /// - Returns: nil where zlib has no memory for it; the answer then goes out as it is.
    static func encode(_ content: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // 15 + 16: the largest window, with a gzip header. Level 6 is zlib's own default.
        guard
            deflateInit2_(
                &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)
            ) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(content.count)))
        var written = 0
        let coded = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            content.withUnsafeBufferPointer { input in
                // zlib only reads there; its declaration is older than `const`.
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(bound)
                if deflate(&stream, Z_FINISH) == Z_STREAM_END { written = Int(stream.total_out) }
            }
            count = written
        }
        return written > 0 ? coded : nil
    }
}
