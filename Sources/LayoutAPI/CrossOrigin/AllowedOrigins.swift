import HTTP1

/// The web pages whose scripts may read our answers, by their origin (RFC 6454): `https://app.example.com`.
package struct AllowedOrigins: Sendable, Equatable {
    let origins: Set<String>

    /// Reads a list with commas.
    ///
    /// - Returns: nil where it is empty, or something in it is no origin as browsers write it: lower case, no path, no
    ///   default port. `*` and `null` are none: everybody is whom nobody meant.
    package init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { String(decoding: Array($0.utf8)[...].trimmed, as: UTF8.self) }
        guard parts.allSatisfy(Self.isOrigin) else { return nil }
        origins = Set(parts)
    }

    private static func isOrigin(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return false }
        let scheme = text[..<colon]
        let authority = text[colon...].dropFirst(3)
        guard scheme.first?.isLetter == true, scheme.utf8.allSatisfy(isSchemeOctet) else { return false }
        guard !authority.isEmpty, authority.utf8.allSatisfy(isAuthorityOctet) else { return false }
        return !(scheme == "https" && authority.hasSuffix(":443") || scheme == "http" && authority.hasSuffix(":80"))
    }

    private static func isSchemeOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func isAuthorityOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }
}
