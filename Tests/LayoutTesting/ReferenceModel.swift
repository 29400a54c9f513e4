package import LayoutModel

/// The rules once more: slow, obvious, and made apart from `LayoutModel`, of which it takes the vocabulary alone.
///
/// A place is not computed here. All lists are made that a change could give, and the one is taken that is as the rules
/// describe the result; see `Arrangements`. And where a change is refused, all that can be said against it is
/// collected: the rules don't say which of two good reasons is named.
package struct ReferenceModel {
    package let catalog: Catalog
    package let client: Client
    private let functions: [FunctionID: Function]
    private let pins: [FunctionID: Int]
    private let visible: Set<FunctionID>

    package init(_ catalog: Catalog, for client: Client = .make()) {
        self.catalog = catalog
        self.client = client
        functions = Dictionary(uniqueKeysWithValues: catalog.functions.map { ($0.id, $0) })
        pins = functions.compactMapValues(\.pin)
        visible = Set(catalog.functions.filter { Self.isVisible($0, to: client) }.map(\.id))
    }

    package enum Verdict: Equatable {
        case list([FunctionID])
        /// Every good reason.
        case refused([Refusal])
    }

    // MARK: The catalog

    package func function(_ id: FunctionID) -> Function? { functions[id] }

    package func pin(of id: FunctionID) -> Int? { pins[id] }

    package func mayMove(_ id: FunctionID) -> Bool { function(id)!.isMovable && pin(of: id) == nil }

    package func mayLeave(_ id: FunctionID) -> Bool { function(id)!.isRemovable && !function(id)!.isRequired }

    /// Whether the catalog has it, active, and for this client.
    package func isVisible(_ id: FunctionID) -> Bool { visible.contains(id) }

    private static func isVisible(_ function: Function, to client: Client) -> Bool {
        guard function.status == .active else { return false }
        let availability = function.availability
        if let platform = client.platform {
            if let platforms = availability.platforms, !platforms.contains(platform) { return false }
            if let version = client.appVersion {
                if let first = availability.minimumVersion[platform], isOlder(version, than: first) { return false }
                if let last = availability.maximumVersion[platform], isOlder(last, than: version) { return false }
            }
        }
        return rolloutPlace(of: function.id, for: client.user) < availability.rollout
    }

    /// Number by number, a missing one counting as 0.
    private static func isOlder(_ left: AppVersion, than right: AppVersion) -> Bool {
        let length = max(left.numbers.count, right.numbers.count)
        func padded(_ numbers: [UInt32]) -> [UInt32] { numbers + Array(repeating: 0, count: length - numbers.count) }
        return padded(left.numbers).lexicographicallyPrecedes(padded(right.numbers))
    }

    /// FNV-1a over `function`, 0, `user`; then the finalizer of MurmurHash3; then the remainder by 100.
    private static func rolloutPlace(of function: FunctionID, for user: UserID) -> Int {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for octet in Array(function.text.utf8) + [0] + Array(user.text.utf8) {
            hash = (hash ^ UInt64(octet)) &* 1_099_511_628_211
        }
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return Int((hash ^ (hash >> 33)) % 100)
    }

    // MARK: Healing

    /// The six steps, one after another.
    package func heal(_ stored: [FunctionID]?) -> [FunctionID] {
        var list = stored ?? catalog.defaults  // 1
        list = list.filter { function($0) != nil }  // 2
        list = list.filter(isVisible)  // 3
        let missing = catalog.functions.filter { $0.isRequired && isVisible($0.id) && !list.contains($0.id) }
        list += missing.map(\.id)  // 4
        return withPinsInPlace(list)  // 5; and 6: nobody is thrown out
    }

    /// Step 5: the pinned functions lifted out and, lowest slot first, put back at their slots or at the end.
    package func withPinsInPlace(_ list: [FunctionID]) -> [FunctionID] {
        var result = list.filter { pin(of: $0) == nil }
        let pinned = list.filter { pin(of: $0) != nil }.sorted { pin(of: $0)! < pin(of: $1)! }
        for id in pinned { result.insert(id, at: min(pin(of: id)!, result.count)) }
        return result
    }

    /// The list to store: each hidden function follows the nearest item on its left that is still there, or the head.
    package func stored(_ list: [FunctionID], over previous: [FunctionID]?) -> [FunctionID] {
        woven(list, into: previous ?? catalog.defaults) { function($0) != nil && !isVisible($0) }
    }

    func woven(
        _ list: [FunctionID], into order: [FunctionID], where isHidden: (FunctionID) -> Bool
    ) -> [FunctionID] {
        func followers(of leader: FunctionID?) -> [FunctionID] {
            order.indices.filter { isHidden(order[$0]) }
                .filter { hidden in order[..<hidden].last(where: list.contains) == leader }
                .map { order[$0] }
        }
        return followers(of: nil) + list.flatMap { [$0] + followers(of: $0) }
    }

    // MARK: Operations

    package func apply(_ operation: Operation, to list: [FunctionID]) -> Verdict {
        let wrong = shapeFaults(of: operation)
        guard wrong.isEmpty else { return .refused(wrong) }
        switch operation {
        case .move(.item(let id), let placement): return move([id], placement, in: list)
        case .move(.block(let items), let placement): return move(items, placement, in: list)
        case .move(.slot(let slot), let placement):
            guard slot < list.count else {
                return .refused([.indexOutOfRange(index: slot, maximum: list.count - 1)])
            }
            return move([list[slot]], placement, in: list)
        case .add(let id, let placement): return add(id, placement, to: list)
        case .remove(let id): return remove(id, from: list)
        }
    }

    /// `arrangements` may be given by who asks for many placements of the same items.
    package func move(
        _ items: [FunctionID], _ placement: Placement, in list: [FunctionID], arrangements: Arrangements? = nil
    ) -> Verdict {
        let wrong = shapeFaults(items, placement.destination)
        guard wrong.isEmpty else { return .refused(wrong) }
        var reasons = sectionFaults(placement) + items.flatMap(visibilityFaults)
        reasons += items.filter { function($0) != nil && !mayMove($0) }.map(Refusal.itemNotMovable)
        reasons += Self.doubles(in: items)
        let absent = items.filter { isVisible($0) && !list.contains($0) }
        reasons += absent.map(Refusal.notAFavorite)
        reasons += anchorFaults(placement.destination, in: list)
        guard reasons.isEmpty else { return .refused(reasons) }
        return (arrangements ?? Arrangements(of: items, among: list, by: self)).verdict(on: placement.destination)
    }

    package func add(_ id: FunctionID, _ placement: Placement?, to list: [FunctionID]) -> Verdict {
        if list.contains(id) {
            guard let placement else { return .list(list) }
            return move([id], placement, in: list)
        }
        var reasons = sectionFaults(placement) + visibilityFaults(id)
        if placement != nil, pin(of: id) != nil { reasons.append(.itemNotMovable(id)) }
        if list.count + 1 > catalog.policy.limit {
            reasons.append(.favoritesLimit(limit: catalog.policy.limit, requested: list.count + 1, scope: .step))
        }
        let anchor = anchorFaults(placement?.destination, in: list)
        let placed: Verdict =
            if function(id) == nil || !anchor.isEmpty {
                .refused(anchor)
            } else if pin(of: id) != nil {
                .list(withPinsInPlace(list + [id]))
            } else {
                Arrangements(of: [id], among: list, by: self).verdict(on: placement?.destination ?? .last)
            }
        switch placed {
        case .list(let result): return reasons.isEmpty ? .list(result) : .refused(reasons)
        case .refused(let more): return .refused(reasons + more)
        }
    }

    package func remove(_ id: FunctionID, from list: [FunctionID]) -> Verdict {
        guard function(id) != nil else { return .refused([.unknownFunction(id)]) }
        guard list.contains(id) else { return .list(list) }
        var reasons: [Refusal] = mayLeave(id) ? [] : [.itemNotRemovable(id)]
        if list.count - 1 < catalog.policy.minimum {
            let minimum = catalog.policy.minimum
            reasons.append(.favoritesMinimum(minimum: minimum, requested: list.count - 1, scope: .step))
        }
        return reasons.isEmpty ? .list(withPinsInPlace(list.filter { $0 != id })) : .refused(reasons)
    }

    // MARK: What is said against a change

    /// What is wrong in any state of any layout.
    func shapeFaults(of operation: Operation) -> [Refusal] {
        switch operation {
        case .move(.item(let id), let placement): shapeFaults([id], placement.destination)
        case .move(.block(let items), let placement):
            (items.isEmpty ? [.emptyBlock] : []) + shapeFaults(items, placement.destination)
        case .move(.slot(let slot), let placement):
            (slot < 0 ? [.invalidIndex(slot)] : []) + shapeFaults([], placement.destination)
        case .add(let id, let placement): shapeFaults([id], placement?.destination)
        case .remove: []
        }
    }

    private func shapeFaults(_ items: [FunctionID], _ destination: Placement.Destination?) -> [Refusal] {
        switch destination {
        case .index(let index) where index < 0: [.invalidIndex(index)]
        case .before(let anchor) where items.contains(anchor): [.anchorIsSelf(anchor)]
        case .after(let anchor) where items.contains(anchor): [.anchorIsSelf(anchor)]
        default: []
        }
    }

    private func sectionFaults(_ placement: Placement?) -> [Refusal] {
        guard let section = placement?.section, section != "favorites" else { return [] }
        return [.sectionFixed(section)]
    }

    func visibilityFaults(_ id: FunctionID) -> [Refusal] {
        if function(id) == nil { return [.unknownFunction(id)] }
        return isVisible(id) ? [] : [.functionUnavailable(id)]
    }

    private func anchorFaults(_ destination: Placement.Destination?, in list: [FunctionID]) -> [Refusal] {
        switch destination {
        case .before(let anchor), .after(let anchor):
            if function(anchor) == nil { return [.unknownFunction(anchor)] }
            return list.contains(anchor) ? [] : [.anchorAbsent(anchor)]
        default: return []
        }
    }

    /// What stands in a list more than once, with all its indexes.
    static func doubles(in items: [FunctionID]) -> [Refusal] {
        Set(items).compactMap { id in
            let indexes = items.indices.filter { items[$0] == id }
            return indexes.count > 1 ? .duplicateItem(id, indexes: indexes) : nil
        }
    }
}
