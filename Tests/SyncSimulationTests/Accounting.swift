import LayoutModel
import PegboardClient

/// No edit vanishes from a device without a trace: it was acknowledged, it is reported, or its effect is there.
enum Accounting {
    static func check(_ before: SyncState, _ after: SyncState, settled: LayoutChange?, of device: String) throws {
        var pending = before.open
        let isRefused = before.sealed != nil && after.sealed == nil && settled == nil
        if let sealed = before.sealed, isRefused { pending = sealed.operations + pending }
        let told = Set(after.reports.dropFirst(before.reports.count).flatMap(\.operation.ids))
        let kept = Set((after.open + (after.sealed?.operations ?? [])).flatMap(\.ids))
        let list = Set(after.local?.favorites.map(\.text) ?? [])
        for (index, operation) in pending.enumerated() {
            // What a later edit is about is its matter.
            let later = Set(pending[(index + 1)...].flatMap(\.ids))
            for id in operation.ids where !told.contains(id) && !kept.contains(id) && !later.contains(id) {
                switch operation {
                case .add where list.contains(id), .move where list.contains(id): continue
                case .remove where !list.contains(id): continue
                // Without the refused edit before it, it moved nothing; the item went for another reason.
                case .move where isRefused: continue
                default: throw Broken("\(device) lost \(operation); the list is \(list.sorted())")
                }
            }
        }
        if let settled { try check(settled, before, after, of: device) }
    }

    /// Every acknowledged operation is in the list or is reported as left out.
    private static func check(
        _ change: LayoutChange, _ before: SyncState, _ after: SyncState, of device: String
    ) throws {
        guard let operations = before.sealed?.operations else { return }
        guard operations.count == change.outcomes.count else {
            throw Broken("\(device) got \(change.outcomes.count) outcomes for \(operations.count) operations")
        }
        for (index, pair) in zip(operations, change.outcomes).enumerated() {
            let (operation, outcome) = pair
            if outcome.result == "skipped" {
                guard after.reports.contains(where: { $0.operation == operation && $0.isDropped }) else {
                    throw Broken("\(device) does not tell that \(operation) was skipped")
                }
                continue
            }
            // What a later operation of the same request is about is its matter.
            let later = Set(operations[(index + 1)...].flatMap(\.ids))
            for id in operation.ids where !later.contains(id) && !(outcome.absent ?? []).contains(id) {
                let isThere = change.layout.favorites.contains(id)
                let isWanted = if case .remove = operation { false } else { true }
                // Removing what another device has added since leaves it there, and an unchanged add may meet a hidden item.
                guard isThere == isWanted || outcome.result == "unchanged" else {
                    throw Broken(
                        "\(device): \(operation) was \(outcome.result), but the list is \(change.layout.favorites)")
                }
            }
        }
    }
}
