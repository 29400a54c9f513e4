/// A path with places for parameters: `/v1/users/{user}/layout`.
struct PathTemplate: Sendable, ExpressibleByStringLiteral {
    let text: String
    let segments: [Segment]

    enum Segment: Sendable, Equatable {
        case literal([UInt8])
        case parameter
    }

    init(stringLiteral text: String) {
        self.text = text
        segments = text.dropFirst().split(separator: "/").map {
            $0.hasPrefix("{") ? .parameter : .literal(Array($0.utf8))
        }
    }
}

/// Where the parameters of a path stand in the octets of its target: values without a reference, passed on for nothing.
struct PathParameters: Sendable {
    private var places: (Range<Int>, Range<Int>) = (0..<0, 0..<0)
    private(set) var count = 0

    /// Deeper resources are named by their own id.
    static let most = 2

    mutating func append(_ place: Range<Int>) {
        precondition(count < Self.most, "no path has more parameters")
        if count == 0 { places.0 = place } else { places.1 = place }
        count += 1
    }

    subscript(index: Int) -> Range<Int> {
        precondition(index < count, "a route knows how many parameters it has")
        return index == 0 ? places.0 : places.1
    }
}
