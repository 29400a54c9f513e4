/// The signatures that a token may have (RFC 7518 §3.1, RFC 8037 §3.1). Not `none`, and not the rest of the registry:
/// each one more is one more to get wrong.
package enum SigningAlgorithm: String, Sendable, CaseIterable {
    case hs256 = "HS256"
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
}
