/// Takes the chunked coding off a content (RFC 9112 §7.1), octet by octet as it comes.
struct ChunkedDecoder {
    private enum Place {
        case sizeStart, size, blankAfterSize, sizeLineFeed
        case data, dataCarriageReturn, dataLineFeed
        case extensions(ChunkExtensionScanner)
        case trailers(FieldLineScanner)
    }

    private var place = Place.sizeStart
    /// Of the chunk at hand: its size while that is read, then what of it is still to come.
    private var remaining: UInt64 = 0
    private var isLast = false
    /// Spent so far on extensions and superfluous zeros.
    private var extensionOctets = 0
    private var trailerOctets = 0

    /// - Returns: whether the content is complete; `cursor` then stands behind it, else at the end of `octets`.
    mutating func decode(
        _ octets: Span<UInt8>, from cursor: inout Int, into content: inout [UInt8], contentLimit: Int, limits: Limits
    ) throws(ProtocolError) -> Bool {
        while cursor < octets.count {
            switch place {
            case .data:
                let count = min(Int(remaining), octets.count - cursor)
                content.append(octets.extracting(cursor..<cursor + count))
                cursor += count
                remaining -= UInt64(count)
                if remaining == 0 { place = .dataCarriageReturn }
            case .trailers(var scanner):
                if try scanTrailers(&scanner, octets, &cursor, limit: limits.trailers) { return true }
            default:
                try step(
                    octets[cursor], room: contentLimit - content.count, contentLimit: contentLimit, limits: limits)
                cursor += 1
            }
        }
        return false
    }

    private mutating func step(
        _ octet: UInt8, room: Int, contentLimit: Int, limits: Limits
    ) throws(ProtocolError) {
        switch place {
        case .sizeStart, .size:
            try readSize(octet, room: room, contentLimit: contentLimit, limits: limits)
        case .blankAfterSize:
            // RFC 9112 §7.1.1: white space is borne before an extension, and nowhere else.
            if octet == UInt8(ascii: ";") {
                place = .extensions(ChunkExtensionScanner())
            } else if !octet.isBlank {
                throw .badChunkSize
            }
            try spend(limits)
        case .extensions(var scanner):
            if try scanner.scan(octet) {
                place = .sizeLineFeed
            } else {
                place = .extensions(scanner)
                try spend(limits)
            }
        case .sizeLineFeed:
            guard octet == .lf else { throw .bareCarriageReturn }
            isLast = remaining == 0
            place = isLast ? .trailers(FieldLineScanner()) : .data
        case .dataCarriageReturn:
            guard octet == .cr else { throw .unendedChunk }
            place = .dataLineFeed
        case .dataLineFeed:
            guard octet == .lf else { throw .unendedChunk }
            place = .sizeStart
        case .data, .trailers:
            preconditionFailure("taken in runs by decode")
        }
    }

    private mutating func readSize(
        _ octet: UInt8, room: Int, contentLimit: Int, limits: Limits
    ) throws(ProtocolError) {
        if let digit = octet.hexValue {
            if remaining == 0, case .size = place { try spend(limits) }
            place = .size
            guard remaining.leadingZeroBitCount >= 4 else { throw .endlessChunkSize }
            remaining = remaining << 4 | UInt64(digit)
            return
        }
        guard case .size = place else { throw .badChunkSize }
        guard remaining <= room else { throw .contentTooLarge(limit: contentLimit) }
        switch octet {
        case .cr: place = .sizeLineFeed
        case UInt8(ascii: ";"): place = .extensions(ChunkExtensionScanner())
        case .space, .tab: place = .blankAfterSize
        default: throw .badChunkSize
        }
    }

    private mutating func spend(_ limits: Limits) throws(ProtocolError) {
        extensionOctets += 1
        guard extensionOctets <= limits.chunkExtensions else {
            throw ProtocolError(.badRequest, "The chunk extensions are too long")
        }
    }

    /// Trailer fields are checked like any others and then forgotten: none of them means anything here (RFC 9110 §6.5.1).
    private mutating func scanTrailers(
        _ scanner: inout FieldLineScanner, _ octets: Span<UInt8>, _ cursor: inout Int, limit: Int
    ) throws(ProtocolError) -> Bool {
        let start = cursor
        let end = min(octets.count, start + limit - trailerOctets)
        let found = try scanner.scan(octets, from: &cursor, to: end)
        trailerOctets += cursor - start
        if cursor == octets.count { scanner.rebase(to: cursor) }
        place = .trailers(scanner)
        if found == .sectionEnd { return true }
        guard trailerOctets < limit else {
            throw ProtocolError(.fieldsTooLarge, "The trailer section has too many octets", limit: limit)
        }
        return false
    }
}

extension ProtocolError {
    fileprivate static let badChunkSize = Self(.badRequest, "A chunk size is not a hexadecimal number")
    fileprivate static let endlessChunkSize = Self(.badRequest, "A chunk size has more than 64 bits")
    fileprivate static let unendedChunk = Self(.badRequest, "A chunk is not as long as its size says")
}
