import HTTP1

/// Finds the route for a request: the templates of all paths as one tree, walked segment by segment without allocating.
struct Router: Sendable {
    /// The routes of one path, by method.
    private final class Resource: Sendable {
        let routes: [Route]
        /// `GET, HEAD, PUT, OPTIONS`: the value of `Allow`.
        let allowed: String

        init(_ routes: [Route]) {
            self.routes = routes
            let methods = routes.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }
            allowed = (methods + ["OPTIONS"]).joined(separator: ", ")
        }
    }

    /// What may stand behind one beginning of a path. A literal comes before a parameter.
    private struct Node: Sendable {
        /// Where in `literals` those stand that may come next.
        var literals = 0..<0
        /// The node behind a parameter.
        var parameter: Int?
        /// Of the path that ends here.
        var resource: Resource?
    }

    /// A segment that is written out, and the node that it leads to.
    private struct Literal: Sendable {
        let word: SegmentWord
        let text: [UInt8]
        let node: Int
    }

    private var nodes = [Node()]
    private var literals: [Literal] = []

    init(_ routes: [Route]) {
        let paths = Dictionary(grouping: routes, by: \.path.text).sorted { $0.key < $1.key }
        grow(
            0, paths.map { Path(rest: PathTemplate(stringLiteral: $0.key).segments[...], resource: Resource($0.value)) }
        )
    }

    /// What is left of a path behind some node.
    private struct Path {
        var rest: ArraySlice<PathTemplate.Segment>
        let resource: Resource
    }

    /// Makes the nodes behind `place`, for all paths that go on there.
    private mutating func grow(_ place: Int, _ paths: [Path]) {
        nodes[place].resource = paths.first { $0.rest.isEmpty }?.resource
        var branches: [(segment: PathTemplate.Segment, node: Int, paths: [Path])] = []
        for var path in paths {
            guard let segment = path.rest.popFirst() else { continue }
            if branches.last?.segment != segment {
                nodes.append(Node())
                branches.append((segment, nodes.count - 1, []))
            }
            branches[branches.count - 1].paths.append(path)
        }
        let start = literals.count
        for branch in branches {
            switch branch.segment {
            case .literal(let text):
                literals.append(Literal(word: SegmentWord(text.span, text.indices), text: text, node: branch.node))
            case .parameter: nodes[place].parameter = branch.node
            }
        }
        nodes[place].literals = start..<literals.count
        for branch in branches { grow(branch.node, branch.paths) }
    }

    /// The route for a request; nil where there is none, see `miss`.
    ///
    /// - Parameter parameters: where the path's stand, not yet percent-decoded.
    func route(for request: Request, _ parameters: inout PathParameters) -> Route? {
        // HEAD is GET without the content on the wire (RFC 9110 §9.3.2).
        let method = request.method == .head ? .get : request.method
        return resource(for: request.target, &parameters)?.routes.first { $0.method == method }
    }

    /// Why there is no route.
    enum Miss {
        case notFound
        case methodNotAllowed(allowed: String)
        /// OPTIONS is answered for every resource alike.
        case options(allowed: String)
        case unknownMethod
    }

    func miss(of request: Request) -> Miss {
        var parameters = PathParameters()
        guard let resource = resource(for: request.target, &parameters) else {
            if request.method == .options, request.target.octets[request.target.path] == "*" {
                return .options(allowed: "GET, HEAD, POST, PUT, DELETE, OPTIONS")
            }
            return request.method == .other ? .unknownMethod : .notFound
        }
        return switch request.method {
        case .options: .options(allowed: resource.allowed)
        case .other: .unknownMethod
        default: .methodNotAllowed(allowed: resource.allowed)
        }
    }

    private func resource(for target: RequestTarget, _ parameters: inout PathParameters) -> Resource? {
        let octets = target.octets.span
        guard !target.path.isEmpty, octets[target.path.lowerBound] == UInt8(ascii: "/") else { return nil }
        var place = 0
        var start = target.path.lowerBound + 1
        while true {
            let end = octets.firstIndex(of: UInt8(ascii: "/"), from: start, to: target.path.upperBound)
            if let next = literal(behind: place, octets, start..<end) {
                place = next
            } else if let next = nodes[place].parameter {
                parameters.append(start..<end)
                place = next
            } else {
                return nil
            }
            if end == target.path.upperBound { return nodes[place].resource }
            start = end + 1
        }
    }

    private func literal(behind place: Int, _ octets: Span<UInt8>, _ segment: Range<Int>) -> Int? {
        let choice = nodes[place].literals
        if choice.isEmpty { return nil }
        let word = SegmentWord(octets, segment)
        for index in choice where literals[index].word == word {
            // The word is all of most of them.
            if segment.count <= SegmentWord.length || spells(octets, segment, literals[index].text) {
                return literals[index].node
            }
        }
        guard
            octets.firstIndex(of: UInt8(ascii: "%"), from: segment.lowerBound, to: segment.upperBound)
                < segment.upperBound
        else { return nil }
        // A percent-encoded letter is the letter (RFC 3986 §6.2.2.2); an encoded slash stays inside its segment.
        guard let text = segment.map({ octets[$0] })[...].percentDecoded() else { return nil }
        return choice.first { text.utf8.elementsEqual(literals[$0].text) }.map { literals[$0].node }
    }

    private func spells(_ octets: Span<UInt8>, _ segment: Range<Int>, _ literal: [UInt8]) -> Bool {
        literal.indices.allSatisfy { literal[$0] == octets[segment.lowerBound + $0] }
    }
}

/// The length of a segment and its first eight octets, as numbers: what tells nearly all segments apart at one look.
private struct SegmentWord: Sendable, Equatable {
    static let length = 8

    private let start: UInt64
    private let count: Int

    init(_ octets: Span<UInt8>, _ segment: Range<Int>) {
        start = octets.word(at: segment.lowerBound, count: min(segment.count, Self.length))
        count = segment.count
    }
}
