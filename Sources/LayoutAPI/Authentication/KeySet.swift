/// The keys that tokens may be signed with, by their `kid`.
package struct KeySet: Sendable {
    private var keys: [[UInt8]?: VerificationKey] = [:]

    package static let empty = KeySet()

    private init() {}

    /// - Throws: where two keys have the same `kid`, or both none: which one is meant could not be known.
    init(_ all: [VerificationKey]) throws(CredentialFault) {
        for key in all {
            guard keys.updateValue(key, forKey: key.id) == nil else {
                let name = key.id.map { "the kid '\(String(decoding: $0, as: UTF8.self))'" } ?? "no kid"
                throw CredentialFault("two keys have \(name)")
            }
        }
    }

    package var count: Int { keys.count }

    /// The key that a token names; for a token that names none, the key that has no name.
    ///
    /// RFC 8725 §3.10: the name comes from a stranger. It is looked up here, and nowhere else.
    subscript(id: [UInt8]?) -> VerificationKey? { keys[id] }
}
