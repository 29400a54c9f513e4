package import LayoutModel

/// Stale operations carried over, as the rules tell it: replayed on the list that their author saw, then applied to the
/// list of today by what they were about.
package struct ReferenceRebase {
    private let model: ReferenceModel
    /// The old stored list. What the catalog has hidden or dropped since is gone, as if another device had removed it.
    private let saw: [FunctionID]
    private var authors: [FunctionID]
    private var current: [FunctionID]

    package enum Verdict: Equatable {
        case list([FunctionID], [Carried])
        case refused(operation: Int, [Refusal])
    }

    /// What became of one operation, in `Outcome`'s words.
    package struct Carried: Equatable {
        package var operation: Outcome.Kind
        package var items: [FunctionID]
        package var result: Outcome.Result
        package var absent: [FunctionID] = []

        package init(_ outcome: Outcome) {
            self.init(
                operation: outcome.operation, items: outcome.items, result: outcome.result, absent: outcome.absent)
        }

        init(operation: Outcome.Kind, items: [FunctionID], result: Outcome.Result, absent: [FunctionID] = []) {
            self.operation = operation
            self.items = items
            self.result = result
            self.absent = absent
        }
    }

    /// Many good reasons against one operation.
    private struct Refused: Error { let reasons: [Refusal] }

    package static func apply(
        _ operations: [Operation], from base: [FunctionID]?, onto list: [FunctionID], by model: ReferenceModel
    ) -> Verdict {
        var rebase = Self(
            model: model, saw: base ?? model.catalog.defaults, authors: model.heal(base), current: list)
        for (index, operation) in operations.enumerated() {
            let wrong = model.shapeFaults(of: operation)
            guard wrong.isEmpty else { return .refused(operation: index, wrong) }
        }
        var outcomes: [Carried] = []
        for (index, operation) in operations.enumerated() {
            do {
                outcomes.append(try rebase.carry(operation))
            } catch {
                return .refused(operation: index, error.reasons)
            }
        }
        return .list(rebase.current, outcomes)
    }

    private mutating func carry(_ operation: Operation) throws(Refused) -> Carried {
        switch operation {
        case .move(.item(let id), let placement): return try carryMove([id], placement)
        case .move(.block(let items), let placement): return try carryMove(items, placement)
        case .move(.slot(let slot), let placement):
            guard slot < authors.count else {
                throw Refused(reasons: [.indexOutOfRange(index: slot, maximum: authors.count - 1)])
            }
            return try carryMove([authors[slot]], placement)
        case .add(let id, let placement): return try carryAdd(id, placement)
        case .remove(let id): return try carryRemove(id)
        }
    }

    private mutating func carryMove(_ items: [FunctionID], _ placement: Placement) throws(Refused) -> Carried {
        let neighbours = orderWithWhatIsGone
        let seen = items.filter { !isGone($0) }
        let meant = try replay(placement, of: seen, beside: neighbours) { model, place, list in
            model.move(seen, place, in: list)
        }
        let there = seen.filter(current.contains)
        guard !there.isEmpty else { return Carried(operation: .move, items: items, result: .itemAbsent) }
        let absent = items.filter { !there.contains($0) }
        return try carry(.move, there, to: meant, beside: neighbours, absent: absent) { model, place, list in
            model.move(there, place, in: list)
        }
    }

    private mutating func carryAdd(_ id: FunctionID, _ placement: Placement?) throws(Refused) -> Carried {
        if authors.contains(id) || isGone(id) {
            // Its author saw a favorite: with a place it is a move, else nothing; it is not brought back.
            if let placement {
                var outcome = try carryMove([id], placement)
                outcome.operation = .add
                return outcome
            }
            return Carried(operation: .add, items: [id], result: current.contains(id) ? .unchanged : .itemAbsent)
        }
        let neighbours = orderWithWhatIsGone
        guard let placement else {
            authors = try list(model.add(id, nil, to: authors))
            return try carry(.add, [id], to: nil, beside: neighbours) { model, _, list in model.add(id, nil, to: list) }
        }
        let meant = try replay(placement, of: [id], beside: neighbours) { model, place, list in
            model.add(id, place, to: list)
        }
        if current.contains(id) { return Carried(operation: .add, items: [id], result: .unchanged) }
        return try carry(.add, [id], to: meant, beside: neighbours) { model, place, list in
            model.add(id, place, to: list)
        }
    }

    private mutating func carryRemove(_ id: FunctionID) throws(Refused) -> Carried {
        let unchanged = Carried(operation: .remove, items: [id], result: .unchanged)
        if isGone(id) { return unchanged }
        // What its author did not see there stays, even where another device has added it since.
        guard authors.contains(id) else {
            _ = try list(model.remove(id, from: authors))
            return unchanged
        }
        authors = try list(model.remove(id, from: authors))
        guard current.contains(id) else { return unchanged }
        current = try list(model.remove(id, from: current))
        return Carried(operation: .remove, items: [id], result: .applied)
    }

    private typealias Change = (ReferenceModel, Placement, [FunctionID]) -> ReferenceModel.Verdict

    /// Does it on the author's list, and says what was meant: an index stands for the left neighbour that it led to.
    private mutating func replay(
        _ placement: Placement, of items: [FunctionID], beside neighbours: [FunctionID], _ change: Change
    ) throws(Refused) -> Placement.Destination {
        guard !items.isEmpty else { return placement.destination }
        if let anchor = placement.destination.namedAnchor, isGone(anchor) {
            let places = substitutes(for: anchor, items, neighbours, in: authors)
            if let place = places.first(where: { serves($0, items, in: authors, change) }) {
                authors = try list(change(model, Placement(place), authors))
            }
            return placement.destination
        }
        authors = try list(change(model, placement, authors))
        guard case .index = placement.destination else { return placement.destination }
        let index = authors.firstIndex(of: items[0])!
        return index == 0 ? .first : .after(authors[index - 1])
    }

    /// Does it on the list of today, beside the anchor or what stands in for it.
    private mutating func carry(
        _ kind: Outcome.Kind, _ items: [FunctionID], to destination: Placement.Destination?,
        beside neighbours: [FunctionID], absent: [FunctionID] = [], _ change: Change
    ) throws(Refused) -> Carried {
        func outcome(_ result: Outcome.Result) -> Carried {
            Carried(operation: kind, items: items, result: result, absent: absent)
        }
        let before = current
        if let destination, let anchor = destination.namedAnchor, !serves(destination, items, in: current, change) {
            let places = substitutes(for: anchor, items, neighbours, in: current)
            guard let place = places.first(where: { serves($0, items, in: current, change) }) else {
                return outcome(.anchorAbsent)
            }
            current = try list(change(model, Placement(place), current))
            return outcome(.anchorSubstituted(place))
        }
        current = try list(change(model, Placement(destination ?? .last), current))
        return outcome(current == before ? .unchanged : .applied)
    }

    /// Whether the anchor is there, and has a free slot on the side in question.
    private func serves(
        _ destination: Placement.Destination, _ items: [FunctionID], in list: [FunctionID], _ change: Change
    ) -> Bool {
        guard let anchor = destination.namedAnchor, list.contains(anchor), !items.contains(anchor) else { return false }
        if case .refused(let reasons) = change(model, Placement(destination), list) {
            return !reasons.contains { if case .slotPinned = $0 { true } else { false } }
        }
        return true
    }

    /// The nearest left neighbour that is still there, then the one further left; then the right ones.
    private func substitutes(
        for anchor: FunctionID, _ items: [FunctionID], _ neighbours: [FunctionID], in list: [FunctionID]
    ) -> [Placement.Destination] {
        guard let place = neighbours.firstIndex(of: anchor) else { return [] }
        let isThere = { (id: FunctionID) in list.contains(id) && !items.contains(id) }
        return neighbours[..<place].reversed().filter(isThere).map { .after($0) }
            + neighbours[(place + 1)...].filter(isThere).map { .before($0) }
    }

    /// The author's list, and in it at their old places what the catalog has taken away since.
    private var orderWithWhatIsGone: [FunctionID] { model.woven(authors, into: saw) { !model.isVisible($0) } }

    private func isGone(_ id: FunctionID) -> Bool { saw.contains(id) && !model.isVisible(id) }

    private func list(_ verdict: ReferenceModel.Verdict) throws(Refused) -> [FunctionID] {
        switch verdict {
        case .list(let list): return list
        case .refused(let reasons): throw Refused(reasons: reasons)
        }
    }
}

extension Placement.Destination {
    var namedAnchor: FunctionID? {
        switch self {
        case .before(let id), .after(let id): id
        case .index, .first, .last: nil
        }
    }
}
