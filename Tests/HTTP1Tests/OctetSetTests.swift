import HTTP1
import Testing

/// The numbers of `OctetSet` against the characters that the RFCs list.
struct OctetSetTests {
    private static let alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    private static let subDelims = "!$&'()*+,;="
    private static let pchar = alphanumeric + "-._~" + subDelims + ":@"

    @Test(arguments: [
        (OctetSet.token, alphanumeric + "!#$%&'*+-.^_`|~"),
        (.path, pchar + "/"),
        (.query, pchar + "/?"),
        (.target, pchar + "/?[]%"),
        (.address, "0123456789abcdefABCDEF:."),
        (.registeredName, alphanumeric + "-._~%" + subDelims),
    ])
    func aSetHoldsItsCharactersAndNoOthers(set: OctetSet, characters: String) {
        let expected = Set(characters.utf8)
        for octet in UInt8.min...UInt8.max {
            #expect(set.contains(octet) == expected.contains(octet), "\(octet)")
        }
    }
}
