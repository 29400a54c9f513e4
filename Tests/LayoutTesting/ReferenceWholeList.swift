package import LayoutModel

extension ReferenceModel {
    /// A whole list is taken as it is, or everything is named that is wrong with it.
    package func replace(_ list: [FunctionID], with wanted: [FunctionID]) -> Verdict {
        let doubles = Self.doubles(in: wanted)
        let reasons =
            doubles + wanted.flatMap(visibilityFaults) + (doubles.isEmpty ? faultsOfPins(in: wanted) : [])
            + faultsOfMissing(list.filter { !wanted.contains($0) }) + faultsOfOrder(from: list, to: wanted)
            + faultsOfCount(from: list, to: wanted)
        return reasons.isEmpty ? .list(wanted) : .refused(reasons)
    }

    private func faultsOfPins(in wanted: [FunctionID]) -> [Refusal] {
        let right = withPinsInPlace(wanted)
        return right.indices.filter { pin(of: right[$0]) != nil && wanted[$0] != right[$0] }
            .map { .slotPinned($0, by: right[$0]) }
    }

    private func faultsOfMissing(_ missing: [FunctionID]) -> [Refusal] {
        missing.filter { !mayLeave($0) }.map { id in
            if function(id)!.isRequired { return .requiredItemMissing(id) }
            if let slot = pin(of: id) { return .pinnedItemMissing(id, slot: slot) }
            return .itemNotRemovable(id)
        }
    }

    /// What can be neither moved nor taken out keeps its order.
    private func faultsOfOrder(from list: [FunctionID], to wanted: [FunctionID]) -> [Refusal] {
        func fixed(_ list: [FunctionID], in other: [FunctionID]) -> [FunctionID] {
            list.filter { id in
                function(id) != nil && other.contains(id) && !mayMove(id) && !mayLeave(id) && pin(of: id) == nil
            }
        }
        return zip(fixed(list, in: wanted), fixed(wanted, in: list)).filter { $0 != $1 }.map { .itemNotMovable($1) }
    }

    private func faultsOfCount(from list: [FunctionID], to wanted: [FunctionID]) -> [Refusal] {
        var reasons: [Refusal] = []
        if wanted.count > catalog.policy.limit, wanted.contains(where: { !list.contains($0) }) {
            reasons.append(
                .favoritesLimit(limit: catalog.policy.limit, requested: wanted.count, scope: .wholeList))
        }
        if wanted.count < catalog.policy.minimum, list.contains(where: { !wanted.contains($0) }) {
            reasons.append(
                .favoritesMinimum(minimum: catalog.policy.minimum, requested: wanted.count, scope: .wholeList))
        }
        return reasons
    }
}
