/// `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2): the value of Host, and the authority of an absolute target.
enum Authority {
    /// Whether `octets` name a host. User information is refused (RFC 9110 §4.2.4). A server never connects to what is
    /// named here, so an IPv6 address is held to its alphabet alone.
    static func isValid(_ octets: ArraySlice<UInt8>) -> Bool {
        let hostEnd: Int
        if octets.first == UInt8(ascii: "[") {
            guard let close = octets.firstIndex(of: UInt8(ascii: "]")),
                isAddress(octets[(octets.startIndex + 1)..<close])
            else { return false }
            hostEnd = close + 1
        } else {
            hostEnd = octets.firstIndex(of: UInt8(ascii: ":")) ?? octets.endIndex
            guard isName(octets[..<hostEnd]) else { return false }
        }
        let port = octets[hostEnd...]
        return port.isEmpty || port.first == UInt8(ascii: ":") && isPort(port.dropFirst())
    }

    private static func isAddress(_ octets: ArraySlice<UInt8>) -> Bool {
        octets.count >= 2
            && octets.allSatisfy { $0.hexValue != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
    }

    private static func isName(_ octets: ArraySlice<UInt8>) -> Bool {
        !octets.isEmpty && octets.allSatisfy(OctetSet.registeredName.contains)
    }

    /// An empty port is allowed (RFC 3986 §3.2.3).
    private static func isPort(_ octets: ArraySlice<UInt8>) -> Bool {
        octets.count <= 5 && octets.allSatisfy(\.isDigit)
            && octets.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 65535
    }
}
