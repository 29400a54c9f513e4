/// Which peer addresses are taken for one client: an IPv4 address alone, of IPv6 the first 64 bits. One household or one
/// phone has that many addresses of IPv6 to itself.
package struct PeerKey: Sendable, Equatable {
    private let text: String

    /// - Parameter peer: an address as the transport writes it (RFC 5952).
    /// - Returns: nil for an empty text: a Unix socket has no address.
    package init?(_ peer: String) {
        guard !peer.isEmpty else { return nil }
        text = peer.utf8.contains(UInt8(ascii: ":")) ? Self.prefix(peer) : peer
    }

    /// The first four groups, with the zeros that `::` stands for: RFC 5952 leaves one way to write each.
    private static func prefix(_ peer: String) -> String {
        let groups = peer.split(separator: ":", omittingEmptySubsequences: false)
        var first: [Substring] = []
        for (index, group) in groups.enumerated() where first.count < 4 {
            if !group.isEmpty {
                first.append(group)
            } else if index > 0, index < groups.count - 1 {
                // `::`. Where it begins or ends the text there is another empty group, the first or the last.
                first += repeatElement("0", count: 8 - groups.count { !$0.isEmpty })
            }
        }
        return first.prefix(4).joined(separator: ":")
    }

    var hash: UInt64 { text.octetHash }
}
