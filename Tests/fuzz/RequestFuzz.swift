import HTTP1
import LayoutTesting

/// Whatever comes and however it is cut, the same requests are read, and the same error ends them.
enum RequestFuzz {
    private static let limits: [Limits] = {
        // So low that short inputs reach them.
        var low = Limits()
        low.head = 160
        low.target = 40
        low.fieldLines = 4
        low.content = 24
        low.chunkExtensions = 8
        low.trailers = 32
        return [Limits(), low]
    }()

    static func run(_ octets: [UInt8]) {
        for limits in limits {
            let whole = Reading([octets], limits: limits)
            var generator = SplitMix64(seed: number(from: octets))
            for longest in [1, 5, 80] where longest > 1 || octets.count <= 1_024 {
                let parted = Reading(pieces(of: octets, upTo: longest, &generator), limits: limits)
                check(parted == whole, "cut into pieces of up to \(longest): \(parted), and whole: \(whole)")
            }
            for message in whole.messages { examine(message, limits) }
        }
    }

    private static func pieces(
        of octets: [UInt8], upTo longest: Int, _ generator: inout SplitMix64
    ) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        while start < octets.count {
            let end = min(start + Int.random(in: 1...longest, using: &generator), octets.count)
            pieces.append(octets[start..<end])
            start = end
        }
        return pieces
    }

    private static func examine(_ message: Reading.Message, _ limits: Limits) {
        check(message.content.count <= limits.content, "more content than is allowed")
        check(message.values.count <= limits.fieldLines, "more field lines than are allowed")
        // In the absolute form an empty path becomes one octet.
        check(message.target.count <= limits.target + 1, "a longer target than is allowed")
        check(!message.target.contains { $0 <= 0x20 || $0 >= 0x7F }, "a target with octets that no target has")
        check(!message.values.joined().contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a value of more than one line")
        if case .length(let length) = message.control.framing {
            check(message.content.count == length, "content of another length than was announced")
        }
        let path = message.target[message.path]
        check(path.first == UInt8(ascii: "/") || path.elementsEqual([UInt8(ascii: "*")]), "a path that is none")
        // What the router goes on to do with it. An absolute form can't be read again: its empty path was filled in.
        guard message.target.first == UInt8(ascii: "/"),
            let target = try? RequestTarget(String(decoding: message.target, as: UTF8.self), for: message.method)
        else { return }
        check(target.path == message.path, "read again, the target has another path")
        let joined = target.segments.reduce(into: [UInt8]()) { $0 += [UInt8(ascii: "/")] + $1 }
        check(joined.elementsEqual(path), "the segments don't make up the path")
        for segment in target.segments { _ = segment.percentDecoded() }
        _ = target.pathString
        _ = target.parameters()
    }
}
