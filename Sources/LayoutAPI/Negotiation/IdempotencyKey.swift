import HTTP1

/// `Idempotency-Key` (IETF httpapi draft): a structured string, or the same without quotes.
enum IdempotencyKey {
    /// - Returns: nil where the request has none.
    static func key(of request: Request) throws -> String? {
        let values = request.fields.values(of: "Idempotency-Key")
        guard let value = values.first else { return nil }
        let isQuoted = value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
        let key = isQuoted ? String(value.dropFirst().dropLast()) : value
        guard values.count == 1, (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else {
            throw Problem(
                .malformedIdempotencyKey,
                "An Idempotency-Key is one value of 1 to 255 visible ASCII characters, in quotes or without.")
        }
        return key
    }
}
