public import Foundation
import LayoutModel

/// Why something may not be done: the code and the parameters that the server's problem document carries, and a
/// sentence for the person who tried. Show `message`, or word `code` in the app's own language.
public struct Refusal: Error, Hashable, Sendable, Codable {
    public var code: Code
    public var params: [String: Parameter]
    /// In English.
    public var message: String

    /// A stable word. Servers may know more of them than this client.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(stringLiteral value: String) { rawValue = value }
    }

    public enum Parameter: Hashable, Sendable {
        case text(String)
        case number(Int)
        case numbers([Int])
    }

    public init(code: Code, params: [String: Parameter] = [:], message: String) {
        self.code = code
        self.params = params
        self.message = message
    }
}

extension Refusal: LocalizedError {
    public var errorDescription: String? { message }
}

extension Refusal.Code {
    public static let unknownFunction: Self = "unknown_function"
    public static let functionUnavailable: Self = "function_unavailable"
    public static let itemNotMovable: Self = "item_not_movable"
    public static let itemNotRemovable: Self = "item_not_removable"
    public static let slotPinned: Self = "slot_pinned"
    public static let sectionFixed: Self = "section_fixed"
    public static let favoritesLimit: Self = "favorites_limit"
    public static let favoritesMinimum: Self = "favorites_minimum"
    public static let indexOutOfRange: Self = "index_out_of_range"
    public static let notAFavorite: Self = "not_a_favorite"
    public static let anchorAbsent: Self = "anchor_absent"
    public static let layoutLocked: Self = "layout_locked"
    public static let baseExpired: Self = "base_expired"
}

extension Refusal.Parameter: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let numbers = try? container.decode([Int].self) {
            self = .numbers(numbers)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .numbers(let numbers): try container.encode(numbers)
        }
    }
}

extension Refusal {
    /// The model's refusal under the name by which the server gives it.
    ///
    /// - Parameter title: what the person calls the function; its id where nil.
    init(_ refusal: LayoutModel.Refusal, title: String? = nil, pin: Int? = nil) {
        func name(_ id: FunctionID) -> String { title ?? id.text }
        func id(_ id: FunctionID) -> [String: Parameter] { ["id": .text(id.text)] }
        switch refusal {
        case .invalidIndex(let index):
            self.init(code: "invalid_index", params: ["index": .number(index)], message: "There is no place \(index)")
        case .anchorIsSelf(let item):
            self.init(code: "anchor_is_self", params: id(item), message: "\(name(item)) can’t stand beside itself")
        case .emptyBlock:
            self.init(code: "invalid_at", message: "Nothing was named")
        case .tooManyOperations(let count, let limit):
            self.init(
                code: "too_many_operations", params: ["limit": .number(limit), "requested": .number(count)],
                message: "Too many changes at once")
        case .unknownList:
            self.init(code: "precondition_required", message: "The list on which this was decided is not known")
        case .unknownFunction(let item):
            self.init(code: .unknownFunction, params: id(item), message: "\(name(item)) does not exist any more")
        case .functionUnavailable(let item):
            self.init(code: .functionUnavailable, params: id(item), message: "\(name(item)) is not available")
        case .itemNotMovable(let item):
            self.init(code: .itemNotMovable, params: id(item), message: Self.place(of: name(item), pin: pin))
        case .itemNotRemovable(let item):
            self.init(code: .itemNotRemovable, params: id(item), message: "\(name(item)) can’t be removed")
        case .slotPinned(let slot, let item):
            self.init(
                code: .slotPinned, params: ["slot": .number(slot), "id": .text(item.text)],
                message: "Place \(slot + 1) is taken for good")
        case .sectionFixed(let section):
            self.init(
                code: .sectionFixed, params: ["section": .text(section)],
                message: "Only your own functions can be arranged")
        case .duplicateItem(let item, let indexes):
            self.init(
                code: "duplicate_item", params: ["id": .text(item.text), "indexes": .numbers(indexes)],
                message: "\(name(item)) stands there twice")
        case .pinnedItemMissing(let item, let slot):
            self.init(
                code: "pinned_item_missing", params: ["id": .text(item.text), "slot": .number(slot)],
                message: "\(name(item)) can’t be removed")
        case .requiredItemMissing(let item):
            self.init(code: "required_item_missing", params: id(item), message: "\(name(item)) can’t be removed")
        case .favoritesLimit(let limit, let requested, _):
            self.init(
                code: .favoritesLimit, params: ["limit": .number(limit), "requested": .number(requested)],
                message: "All \(limit) places are taken. Remove one first.")
        case .favoritesMinimum(let minimum, let requested, _):
            self.init(
                code: .favoritesMinimum, params: ["minimum": .number(minimum), "requested": .number(requested)],
                message: minimum == 1 ? "One function has to stay" : "At least \(minimum) functions have to stay")
        case .indexOutOfRange(let index, let maximum):
            self.init(
                code: .indexOutOfRange,
                params: ["index": .number(index), "min": .number(0), "max": .number(maximum)],
                message: "There is no place \(index + 1)")
        case .notAFavorite(let item):
            self.init(code: .notAFavorite, params: id(item), message: "\(name(item)) is not among your functions")
        case .anchorAbsent(let item):
            self.init(code: .anchorAbsent, params: id(item), message: "\(name(item)) is not among your functions")
        case .layoutLocked:
            self.init(code: .layoutLocked, message: "Support has locked this page")
        case .baseExpired(let version, let use, _, _):
            self.init(
                code: .baseExpired, params: [use == .base ? "baseVersion" : "toVersion": .number(Int(version))],
                message: "This was decided on a list that is too old")
        }
    }

    private static func place(of name: String, pin: Int?) -> String {
        switch pin {
        case 0: "\(name) always comes first"
        case let slot?: "\(name) always stays at place \(slot + 1)"
        case nil: "\(name) can’t be moved"
        }
    }
}
