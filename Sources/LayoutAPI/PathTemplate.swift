import HTTP1

/// A path with places for parameters: `/v1/users/{user}/layout`.
struct PathTemplate: Sendable, ExpressibleByStringLiteral {
    let text: String
    private let segments: [Segment]

    private enum Segment: Sendable {
        case literal([UInt8])
        case parameter
    }

    init(stringLiteral text: String) {
        self.text = text
        segments = text.dropFirst().split(separator: "/").map {
            $0.hasPrefix("{") ? .parameter : .literal(Array($0.utf8))
        }
    }

    /// What stands in the places of `target`'s path, not yet percent-decoded; nil where the path is another one.
    func parameters(in target: RequestTarget) -> [ArraySlice<UInt8>]? {
        var parameters: [ArraySlice<UInt8>] = []
        var given = target.segments
        for segment in segments {
            guard let octets = given.next() else { return nil }
            switch segment {
            case .literal(let literal): guard Self.spells(octets, literal) else { return nil }
            case .parameter: parameters.append(octets)
            }
        }
        return given.next() == nil ? parameters : nil
    }

    /// A percent-encoded letter is the letter (RFC 3986 §6.2.2.2); an encoded slash stays inside its segment.
    private static func spells(_ octets: ArraySlice<UInt8>, _ literal: [UInt8]) -> Bool {
        if octets.elementsEqual(literal) { return true }
        guard octets.contains(UInt8(ascii: "%")) else { return false }
        return octets.percentDecoded()?.utf8.elementsEqual(literal) ?? false
    }
}
