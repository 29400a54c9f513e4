import LayoutModel

/// Edits of this device, carried from the list on which they were made over to another, one by one, by the same rules by
/// which the server does it. One that cannot be made there is left out and named; the others stay.
struct CarryOver {
    /// The list as the user saw it, changed along.
    private var seen: [FunctionID]
    private(set) var current: Layout
    private(set) var operations: [FavoritesOperation] = []
    private(set) var notes: [Note] = []

    typealias Note = (operation: FavoritesOperation, result: EditReport.Result)

    /// - Parameter seen: may name what the catalog of `current` hides or has dropped.
    init(from seen: [FunctionID], onto current: Layout) {
        self.seen = seen
        self.current = current
    }

    mutating func carry(_ operation: FavoritesOperation) {
        do throws(Refusal) {
            let model = try operation.model()
            do throws(Rejection) {
                let outcome = try Rebase.apply([model], madeOn: seen, to: &current)
                follow(model)
                if let outcome = outcome.first { note(outcome, of: operation) }
            } catch {
                follow(model)
                throw Refusal(error.refusal)
            }
        } catch {
            notes.append((operation, .refused(error)))
        }
    }

    /// The user saw each edit on the result of the one before.
    private mutating func follow(_ operation: LayoutModel.Operation) {
        var layout = Layout(healing: seen, catalog: current.catalog, client: current.client)
        guard (try? layout.apply([operation])) != nil else { return }
        seen = layout.stored(over: seen)
    }

    private mutating func note(_ outcome: Outcome, of operation: FavoritesOperation) {
        var destination: LayoutModel.Placement.Destination?
        switch outcome.result {
        case .itemAbsent:
            notes.append((operation, .itemAbsent))
            return
        case .anchorAbsent:
            notes.append((operation, .anchorAbsent))
            return
        case .unchanged:
            if !outcome.absent.isEmpty { notes.append((operation, .partly(absent: outcome.absent.map(\.text)))) }
            return
        case .anchorSubstituted(let used):
            destination = used
            notes.append((operation, .substituted(FavoritesOperation.Placement(used))))
        case .applied:
            if !outcome.absent.isEmpty { notes.append((operation, .partly(absent: outcome.absent.map(\.text)))) }
        }
        operations.append(operation.about(outcome.items, at: destination).anchored(in: current))
    }
}

extension FavoritesOperation {
    /// The same with a slot turned into "behind the left neighbour", as it came out in `result`: what the user saw, and
    /// what still means something once others have changed the list.
    func anchored(in result: Layout) -> Self {
        guard case .index = placement, let first = ids.first.flatMap({ FunctionID($0) }),
            let slot = result.favorites.firstIndex(of: first)
        else { return self }
        let anchor: Placement = slot == 0 ? .first : .after(result.favorites[slot - 1].text)
        return switch self {
        case .move(let ids, _): .move(ids, to: anchor)
        case .add(let id, _): .add(id, at: anchor)
        case .remove: self
        }
    }
}

extension Layout {
    /// The list after `operations`; nil where one of them is refused.
    func after(_ operations: [FavoritesOperation]) -> Layout? {
        var layout = self
        do {
            for operation in operations { _ = try layout.apply([operation.model()]) }
        } catch {
            return nil
        }
        return layout
    }
}
