/// `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2): the value of Host, and the authority of an absolute target.
enum Authority {
    /// Whether `octets` name a host. User information is refused (RFC 9110 §4.2.4). A server never connects to what is
    /// named here, so an IPv6 address is held to its alphabet alone.
    static func isValid(_ octets: Span<UInt8>) -> Bool {
        var end: Int
        if octets.count > 0, octets[0] == UInt8(ascii: "[") {
            end = octets.firstIndex(notIn: .address, from: 1, to: octets.count)
            // `::` at least.
            guard end > 2, end < octets.count, octets[end] == UInt8(ascii: "]") else { return false }
            end += 1
        } else {
            end = octets.firstIndex(notIn: .registeredName, from: 0, to: octets.count)
            guard end > 0 else { return false }
        }
        return end == octets.count || octets[end] == UInt8(ascii: ":") && isPort(octets, from: end + 1)
    }

    /// An empty port is allowed (RFC 3986 §3.2.3).
    private static func isPort(_ octets: Span<UInt8>, from start: Int) -> Bool {
        guard octets.count - start <= 5 else { return false }
        var port = 0
        for index in start..<octets.count {
            guard octets[index].isDigit else { return false }
            port = port * 10 + Int(octets[index] - UInt8(ascii: "0"))
        }
        return port <= 65535
    }
}
