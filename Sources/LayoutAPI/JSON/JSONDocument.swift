import HTTP1

/// A JSON document that was read: where each of its values stands, in the order of the text. Nothing of it is copied, and no
/// text is made, before somebody asks for it; and most only ask whether a name is one that they know.
struct JSONDocument: Sendable {
    private let octets: [UInt8]
    private var nodes: [Node] = []
    /// The texts that don't stand in `octets` as they are meant: with escapes, or beyond ASCII, and then known to be UTF-8.
    private var texts: [String] = []

    /// One value, or a member's name, behind which its value stands.
    fileprivate struct Node: Sendable {
        let kind: Kind
        /// Of a number or a text, its octets without the quotes; of a `.madeText`, its number among the texts.
        let octets: Range<Int>
        /// The place behind it and all that it holds: of the next element, or of the next member's name.
        var end: Int
    }

    enum Kind: Sendable {
        case null, yes, no
        /// A number without fraction or exponent that fits.
        case integer
        case number
        case text, madeText
        case array, object

        /// How a message names it.
        var words: String {
            switch self {
            case .null: "null"
            case .yes, .no: "a boolean"
            case .integer: "a number"
            case .number: "a number with a fraction, an exponent or too many digits"
            case .text, .madeText: "a string"
            case .array: "an array"
            case .object: "an object"
            }
        }
    }

    /// The place of the whole document.
    static let root = 0
    /// The place of what will be added next.
    var end: Int { nodes.count }

    func kind(at place: Int) -> Kind { nodes[place].kind }

    func end(of place: Int) -> Int { nodes[place].end }

    /// The places of an array's elements, or of the names of an object's members, whose values stand behind them.
    func children(of place: Int) -> Children {
        Children(nodes: nodes, isObject: kind(at: place) == .object, place: place + 1, end: end(of: place))
    }

    struct Children: Sequence, IteratorProtocol {
        fileprivate let nodes: [Node]
        fileprivate let isObject: Bool
        fileprivate var place: Int
        fileprivate let end: Int

        mutating func next() -> Int? {
            // In a document that is being read the last name may have no value yet.
            guard place < end, place < nodes.count else { return nil }
            defer { place = isObject && place + 1 < nodes.count ? nodes[place + 1].end : nodes[place].end }
            return place
        }
    }
}

// MARK: - Making

extension JSONDocument {
    /// Nothing of it was read yet.
    init(of octets: [UInt8]) {
        self.octets = octets
        // Enough for a usual request at once.
        nodes.reserveCapacity(min(octets.count / 6 + 1, 32))
    }

    mutating func add(_ kind: Kind, _ octets: Range<Int> = 0..<0) {
        nodes.append(Node(kind: kind, octets: octets, end: nodes.count + 1))
    }

    mutating func add(_ text: String) {
        add(.madeText, texts.count..<texts.count + 1)
        texts.append(text)
    }

    /// Begins an array or an object: what is added until it is closed is in it.
    mutating func open(_ kind: Kind) -> Int {
        nodes.append(Node(kind: kind, octets: 0..<0, end: .max))
        return nodes.count - 1
    }

    mutating func close(_ place: Int) { nodes[place].end = nodes.count }
}

// MARK: - Texts and numbers

extension JSONDocument {
    /// A text, or a number as it was written.
    func text(at place: Int) -> String { withText(at: place) { String(decoding: $0, as: UTF8.self) } }

    func octets(ofTextAt place: Int) -> [UInt8] { withText(at: place) { Array($0) } }

    func integer(at place: Int) -> Int { Int(text(at: place)) ?? 0 }

    /// Its octets, without a `String` where there is none yet.
    func withText<Result>(at place: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let node = nodes[place]
        if node.kind == .madeText {
            var text = texts[node.octets.lowerBound]
            return text.withUTF8(body)
        }
        return octets.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[node.octets])) }
    }

    /// Whether that text is this one, octet by octet: `String` takes two spellings of é for one (RFC 8259 §8.3).
    func text(at place: Int, is other: StaticString) -> Bool {
        withText(at: place) { text in other.withUTF8Buffer { text.hasSameOctets(as: $0) } }
    }

    func text(at place: Int, isThatAt other: Int) -> Bool {
        withText(at: place) { text in withText(at: other) { text.hasSameOctets(as: $0) } }
    }
}

// MARK: - Places

extension JSONDocument {
    /// Where a value stands, or the one whose name is at that place (RFC 6901). Looked for only where something is wrong there.
    func pointer(to target: Int) -> String {
        var (pointer, place) = ("", Self.root)
        while place < target {
            let isObject = kind(at: place) == .object
            // The last one that begins before it, or there.
            var (number, child) = (-1, place)
            for next in children(of: place) where next <= target { (number, child) = (number + 1, next) }
            pointer = isObject ? LayoutAPI.pointer(pointer, text(at: child)) : "\(pointer)/\(number)"
            place = isObject && child < target ? child + 1 : child
        }
        return pointer
    }
}
