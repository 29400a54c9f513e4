import HTTP1

/// A signed token in its three parts (RFC 7515 §7.1), the signature not yet checked.
struct CompactJWS {
    /// What the signature is over: the first two parts and the dot between them, as they came.
    let signingInput: ArraySlice<UInt8>
    let header: Header
    let signature: [UInt8]
    private let encodedPayload: ArraySlice<UInt8>

    /// Longer tokens are refused unread.
    static let longest = 8 * 1_024

    init(_ token: ArraySlice<UInt8>) throws(TokenRefusal) {
        guard token.count <= Self.longest else { throw .malformed }
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]), let signature = Base64URL.decode(parts[2])
        else {
            throw .malformed
        }
        signingInput = token[parts[0].startIndex..<parts[1].endIndex]
        encodedPayload = parts[1]
        self.signature = signature
        self.header = try Header(header)
    }

    /// Decodes the payload. For after the signature: nothing in it is worth reading before.
    func payload() throws(TokenRefusal) -> [UInt8] {
        guard let payload = Base64URL.decode(encodedPayload) else { throw .malformed }
        return payload
    }

    /// What of the header counts (RFC 7515 §4.1). Keys and places to fetch keys from (jwk, jku, x5u, x5c) are a
    /// stranger's words, and passed over like any unknown member (RFC 8725 §3.10).
    struct Header {
        let algorithm: String
        let keyID: [UInt8]?

        fileprivate init(_ octets: [UInt8]) throws(TokenRefusal) {
            guard case .object(let members)? = try? JSONReader.read(octets) else { throw .malformed }
            // RFC 7515 §4.1.11: we understand no extension, so any that has to be understood refuses the token, and an
            // empty list is not allowed at all. RFC 7797 §6: so does b64, which only counts when listed there.
            guard members[octets: "crit"] == nil, members[octets: "b64"] == nil else { throw .critical }
            guard case .string(let algorithm)? = members[octets: "alg"] else { throw .algorithm }
            self.algorithm = algorithm
            switch members[octets: "kid"] {
            case nil: keyID = nil
            case .string(let id)?: keyID = Array(id.utf8)
            default: throw .unknownKey
            }
            switch members[octets: "typ"] {
            case nil: break
            case .string(let type)? where Self.isAccessToken(type): break
            default: throw .type
            }
        }

        /// RFC 9068 §2.1, and RFC 7515 §4.1.9 on leaving `application/` out. A plain `JWT` is refused: an identity
        /// token of the same issuer is one, too (RFC 8725 §3.11).
        private static func isAccessToken(_ type: String) -> Bool {
            let octets = Array(type.utf8)[...]
            return octets.equalsIgnoringCase("at+jwt") || octets.equalsIgnoringCase("application/at+jwt")
        }
    }
}
