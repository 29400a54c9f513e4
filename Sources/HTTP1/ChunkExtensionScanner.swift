/// Checks chunk extensions (RFC 9112 §7.1.1), which we ignore, against their grammar: an extension that two readers end
/// in two places hides a request.
struct ChunkExtensionScanner {
    private enum Place {
        case nameStart, name, afterName, valueStart, value, quoted, escaped, afterValue
    }

    private var place = Place.nameStart

    /// Takes the next octet behind the first `;`.
    ///
    /// - Returns: whether it was the CR that ends the line.
    mutating func scan(_ octet: UInt8) throws(ProtocolError) -> Bool {
        let isToken = OctetSet.token.contains(octet)
        switch place {
        case .nameStart where isToken: place = .name
        case .nameStart where octet.isBlank: break
        case .name where isToken: break
        case .name where octet.isBlank: place = .afterName
        case .afterName where octet.isBlank: break
        case .name where octet == UInt8(ascii: "="), .afterName where octet == UInt8(ascii: "="): place = .valueStart
        case .valueStart where octet.isBlank: break
        case .valueStart where octet == UInt8(ascii: "\""): place = .quoted
        case .valueStart where isToken: place = .value
        case .value where isToken: break
        case .value where octet.isBlank: place = .afterValue
        case .afterValue where octet.isBlank: break
        case .quoted where octet == UInt8(ascii: "\""): place = .afterValue
        case .quoted where octet == UInt8(ascii: "\\"): place = .escaped
        case .quoted where octet.isFieldContent: break
        case .escaped where octet.isFieldContent: place = .quoted
        case .name where octet == UInt8(ascii: ";"), .afterName where octet == UInt8(ascii: ";"),
            .value where octet == UInt8(ascii: ";"), .afterValue where octet == UInt8(ascii: ";"):
            place = .nameStart
        case .name where octet == .cr, .value where octet == .cr, .afterValue where octet == .cr: return true
        default: throw ProtocolError(.badRequest, "A chunk extension is not well formed")
        }
        return false
    }
}
