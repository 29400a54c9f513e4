package import LayoutModel

/// One step of a change to the favorites, as it stands in a request.
public enum FavoritesOperation: Hashable, Sendable {
    /// The items go there together, in the order given. An index is the final slot of the first of them.
    case move([String], to: Placement)
    /// Without a placement: at the end. For one that is a favorite already, a placement moves it.
    case add(String, at: Placement? = nil)
    case remove(String)

    public enum Placement: Hashable, Sendable {
        /// The final slot, in the list after the operation.
        case index(Int)
        case before(String)
        case after(String)
        case first
        case last
    }

    public static func move(_ id: String, to placement: Placement) -> Self { .move([id], to: placement) }

    /// What it is about.
    public var ids: [String] {
        switch self {
        case .move(let ids, _): ids
        case .add(let id, _), .remove(let id): [id]
        }
    }
}

extension FavoritesOperation: Codable {
    private enum Key: String, CodingKey { case op, id, ids, at }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch try container.decode(String.self, forKey: .op) {
        case "move":
            let ids = try container.decodeIfPresent([String].self, forKey: .ids)
            self = .move(
                try ids ?? [container.decode(String.self, forKey: .id)],
                to: try container.decode(Placement.self, forKey: .at))
        case "add":
            self = .add(
                try container.decode(String.self, forKey: .id),
                at: try container.decodeIfPresent(Placement.self, forKey: .at))
        case "remove":
            self = .remove(try container.decode(String.self, forKey: .id))
        case let other:
            throw DecodingError.dataCorruptedError(
                forKey: .op, in: container, debugDescription: "'\(other)' is no operation")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .move(let ids, let placement):
            try container.encode("move", forKey: .op)
            if ids.count == 1 {
                try container.encode(ids[0], forKey: .id)
            } else {
                try container.encode(ids, forKey: .ids)
            }
            try container.encode(placement, forKey: .at)
        case .add(let id, let placement):
            try container.encode("add", forKey: .op)
            try container.encode(id, forKey: .id)
            try container.encodeIfPresent(placement, forKey: .at)
        case .remove(let id):
            try container.encode("remove", forKey: .op)
            try container.encode(id, forKey: .id)
        }
    }
}

extension FavoritesOperation.Placement: Codable {
    private enum Key: String, CodingKey { case index, before, after, edge }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let index = try container.decodeIfPresent(Int.self, forKey: .index) {
            self = .index(index)
        } else if let id = try container.decodeIfPresent(String.self, forKey: .before) {
            self = .before(id)
        } else if let id = try container.decodeIfPresent(String.self, forKey: .after) {
            self = .after(id)
        } else {
            self = try container.decode(String.self, forKey: .edge) == "first" ? .first : .last
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .index(let index): try container.encode(index, forKey: .index)
        case .before(let id): try container.encode(id, forKey: .before)
        case .after(let id): try container.encode(id, forKey: .after)
        case .first: try container.encode("first", forKey: .edge)
        case .last: try container.encode("last", forKey: .edge)
        }
    }
}

// MARK: The model's words

extension FavoritesOperation {
    /// The model's operation.
    ///
    /// - Throws: `.unknownFunction`, with the nearest thing to the text, where an id is none at all.
    package func model() throws(Refusal) -> LayoutModel.Operation {
        switch self {
        case .move(let ids, let placement):
            var items: [FunctionID] = []
            for id in ids { items.append(try Self.item(id)) }
            let place = LayoutModel.Placement(try placement.destination())
            return .move(items.count == 1 ? .item(items[0]) : .block(items), to: place)
        case .add(let id, let placement):
            return .add(
                try Self.item(id),
                at: try placement.map { (place) throws(Refusal) in LayoutModel.Placement(try place.destination()) })
        case .remove(let id):
            return .remove(try Self.item(id))
        }
    }

    /// The same operation about other items, or at another place.
    func about(_ items: [FunctionID], at destination: LayoutModel.Placement.Destination?) -> Self {
        let place = destination.map { Placement($0) }
        return switch self {
        case .move(_, let old): .move(items.map(\.text), to: place ?? old)
        case .add(let id, let old): .add(id, at: place ?? old)
        case .remove: self
        }
    }

    var placement: Placement? {
        switch self {
        case .move(_, let placement): placement
        case .add(_, let placement): placement
        case .remove: nil
        }
    }

    static func item(_ text: String) throws(Refusal) -> FunctionID {
        guard let id = FunctionID(text) else {
            throw Refusal(
                code: .unknownFunction, params: ["id": .text(text)], message: "\(text) does not exist any more")
        }
        return id
    }
}

extension FavoritesOperation.Placement {
    init(_ destination: LayoutModel.Placement.Destination) {
        self =
            switch destination {
            case .index(let index): .index(index)
            case .before(let id): .before(id.text)
            case .after(let id): .after(id.text)
            case .first: .first
            case .last: .last
            }
    }

    func destination() throws(Refusal) -> LayoutModel.Placement.Destination {
        switch self {
        case .index(let index): .index(index)
        case .before(let id): .before(try FavoritesOperation.item(id))
        case .after(let id): .after(try FavoritesOperation.item(id))
        case .first: .first
        case .last: .last
        }
    }
}
