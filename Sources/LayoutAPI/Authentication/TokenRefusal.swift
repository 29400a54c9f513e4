/// Why a token is not taken.
enum TokenRefusal: Error, Equatable, Sendable {
    /// Not three parts of canonical base64url, too long, or a header that is not strict JSON.
    case malformed
    case type
    case critical
    case unknownKey
    case algorithm
    case signature
    case claims
    case issuer
    case audience
    case subject
    case expired
    case notYetValid

    /// For `error_description` (RFC 6750 §3): printable ASCII without quotes. The same words whatever the token says,
    /// and nothing of a claim before the signature was found right.
    var sentence: String {
        switch self {
        case .malformed: "The token is malformed"
        case .type: "The token is no access token: its typ is not at+jwt"
        case .critical: "The token asks for an extension that is not understood"
        case .unknownKey: "The token is signed with no known key"
        case .algorithm: "The token's algorithm is not the one of its key"
        case .signature: "The token's signature is wrong"
        case .claims: "The token's claims are malformed"
        case .issuer: "The token is from another issuer"
        case .audience: "The token is for another audience"
        case .subject: "The token's subject is no user id"
        case .expired: "The token has expired"
        case .notYetValid: "The token is not valid yet"
        }
    }
}
