import HTTP1
import LayoutModel

/// The table of refusals: for each its code, its status, a sentence, and its parameters.
extension Problem {
    init(_ refusal: Refusal) {
        switch refusal {
        case .invalidIndex(let index):
            self.init(.invalidIndex, "An index is a slot from 0, not \(index).")
            params = [.number("index", index)]
        case .anchorIsSelf(let id):
            self.init(.anchorIsSelf, "'\(id)' cannot stand before or after itself.")
            params = [.id(id)]
        case .emptyBlock:
            self.init(.invalidValue, "'ids' names at least one item.")
        case .tooManyOperations(let count, let limit):
            self.init(.tooManyOperations, "One request has at most \(limit) operations, not \(count).")
            params = [.number("limit", limit), .number("requested", count)]
        case .unknownList:
            self.init(
                .preconditionRequired,
                "'from' is a slot in the list that the client saw: say which by If-Match or by baseVersion.")
        case .unknownFunction(let id):
            self.init(.unknownFunction, "The catalog has no function '\(id)'.")
            params = [.id(id)]
        case .functionUnavailable(let id):
            self.init(.functionUnavailable, "'\(id)' is retired, or not available to this client.")
            params = [.id(id)]
        case .itemNotMovable(let id):
            self.init(.itemNotMovable, "'\(id)' keeps its place.")
            params = [.id(id)]
        case .itemNotRemovable(let id):
            self.init(.itemNotRemovable, "'\(id)' always stays a favorite.")
            params = [.id(id)]
        case .slotPinned(let slot, let id):
            self.init(.slotPinned, "Slot \(slot) belongs to '\(id)'.")
            params = [.number("slot", slot), .id(id)]
        case .sectionFixed(let name):
            let section = name.excerpt
            self.init(.sectionFixed, "Only 'favorites' belongs to the user; '\(section)' is arranged by the catalog.")
            params = [.text("section", section)]
        case .duplicateItem(let id, let indexes):
            self.init(.duplicateItem, "'\(id)' stands in the list more than once.")
            params = [.id(id), .init(name: "indexes", value: .numbers(indexes))]
        case .pinnedItemMissing(let id, let slot):
            self.init(.pinnedItemMissing, "'\(id)' is pinned at slot \(slot) and may not be left out.")
            params = [.id(id), .number("slot", slot)]
        case .requiredItemMissing(let id):
            self.init(.requiredItemMissing, "'\(id)' is required and may not be left out.")
            params = [.id(id)]
        case .favoritesLimit(let limit, let requested, let scope):
            self.init(
                .favoritesLimit, as: scope == .step ? .conflict : .unprocessableContent,
                "There is room for \(limit) favorites, not for \(requested). Remove one first.")
            params = [.number("limit", limit), .number("requested", requested)]
        case .favoritesMinimum(let minimum, let requested, let scope):
            self.init(
                .favoritesMinimum, as: scope == .step ? .conflict : .unprocessableContent,
                "At least \(minimum) favorites stay; \(requested) would be too few.")
            params = [.number("minimum", minimum), .number("requested", requested)]
        case .indexOutOfRange(let index, let maximum):
            self.init(
                .indexOutOfRange,
                maximum < 0
                    ? "The list is empty; it has no slot \(index)."
                    : "In this list the index is 0 to \(maximum), not \(index).")
            params = [.number("index", index), .number("min", 0), .number("max", maximum)]
        case .notAFavorite(let id):
            self.init(.notAFavorite, "'\(id)' is not among the favorites.")
            params = [.id(id)]
        case .anchorAbsent(let id):
            self.init(.anchorAbsent, "'\(id)', beside which the item was to stand, is not among the favorites.")
            params = [.id(id)]
        case .layoutLocked:
            self.init(.layoutLocked, "Support has frozen this layout.")
        case .baseExpired(let version, let use, let oldest, let newest):
            let kept = oldest.map { "the history reaches back to version \($0)" } ?? "no history is kept"
            self.init(
                .baseExpired,
                version > newest
                    ? "There never was a version \(version) of this layout; the newest is \(newest)."
                    : "Version \(version) of this layout is no longer known; \(kept).")
            params = [.number(use == .base ? "baseVersion" : "toVersion", Int(version))]
        }
    }
}

extension Problem.Parameter {
    static func id(_ id: FunctionID) -> Self { .init(name: "id", value: .text(id.text)) }
    static func text(_ name: StaticString, _ text: String) -> Self { .init(name: name, value: .text(text)) }
    static func number(_ name: StaticString, _ number: Int) -> Self { .init(name: name, value: .number(number)) }
}
