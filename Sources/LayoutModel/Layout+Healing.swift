/// Stored list ⇄ effective list.
extension Layout {
    /// Heals a stored list against the catalog, for one client: a pure, total, idempotent function. It follows the
    /// defaults where nothing is stored, leaves out what is unknown or hidden, appends what is required, and puts the
    /// pinned functions at their slots. Nobody is thrown out because the limit was lowered.
    ///
    /// - Complexity: O(n) look-ups in the catalog.
    package init(healing stored: [FunctionID]?, catalog: Catalog, client: Client) {
        self.init(favorites: stored ?? catalog.defaults, catalog: catalog, client: client)
        if catalog.isHealed(favorites, for: client) { return }
        var visible = favorites.filter { catalog.available($0, to: client) != nil }
        let members = Membership(of: visible, in: catalog)
        for function in catalog.required where function.isAvailable(to: client) && !members.contains(function.id) {
            visible.append(function.id)
        }
        favorites = takenApart(visible).settled()
    }

    /// The list to store for this effective one: what is hidden from this client keeps following the visible item that
    /// stood on its left in `previous`, or the nearest one further left that is still there, or the head of the list.
    /// What the catalog no longer has is dropped.
    package func stored(over previous: [FunctionID]?) -> [FunctionID] {
        weave(into: (previous ?? catalog.defaults).filter { catalog.place(of: $0) != nil })
    }

    /// `favorites` with everything of `order` that this client cannot see put back behind its left neighbour.
    func weave(into order: [FunctionID]) -> [FunctionID] {
        var leading: [FunctionID] = []
        var followers: [FunctionID: [FunctionID]] = [:]
        var neighbour: FunctionID?
        let members = Membership(of: favorites, in: catalog)
        for id in order {
            if members.contains(id) {
                neighbour = id
            } else if catalog.available(id, to: client) == nil {
                if let neighbour { followers[neighbour, default: []].append(id) } else { leading.append(id) }
            }
        }
        if leading.isEmpty && followers.isEmpty { return favorites }
        return leading + favorites.flatMap { [$0] + (followers[$0] ?? []) }
    }
}

extension Catalog {
    /// Whether healing would change nothing: nearly always, and then the list is not copied.
    fileprivate func isHealed(_ list: [FunctionID], for client: Client) -> Bool {
        var pinned = 0
        for id in list {
            guard let place = place(of: id) else { return false }
            if isPlain(place) { continue }
            guard functions[place].isAvailable(to: client) else { return false }
            if functions[place].pin != nil { pinned += 1 }
        }
        for function in required where function.isAvailable(to: client) && !list.contains(function.id) {
            return false
        }
        guard pinned > 0 else { return true }
        let free = list.count - pinned
        var index = 0
        for pin in pins where index < pinned {
            guard let slot = list.firstIndex(of: pin.id) else { continue }
            guard slot == min(pin.slot, free + index) else { return false }
            index += 1
        }
        return index == pinned
    }
}

/// A list taken apart: the pinned items, lowest slot first, and the free ones in their order. Everything that can be done
/// to a list is done to its free part; putting the pinned items back gives the result.
struct PinnedList {
    var free: [FunctionID]
    let pins: [Catalog.Pin]

    /// So many are looked for and put in one by one; with more, that would cost the square of a long list.
    static let fewPins = 4

    /// The whole list: each pinned item at its slot, or at the end of a shorter list.
    consuming func settled() -> [FunctionID] {
        if pins.count <= Self.fewPins {
            for pin in pins { free.insert(pin.id, at: min(pin.slot, free.count)) }
            return free
        }
        var list: [FunctionID] = []
        list.reserveCapacity(free.count + pins.count)
        var rest = free[...]
        for pin in pins {
            let passed = rest.prefix(pin.slot - list.count)
            list += passed
            rest = rest[passed.endIndex...]
            list.append(pin.id)
        }
        return list + rest
    }

    /// Where the pinned items stand once there are `count` free ones, lowest first.
    func slots(withFree count: Int) -> [Int] {
        pins.enumerated().map { index, pin in min(pin.slot, count + index) }
    }
}

extension Layout {
    func takenApart(_ list: [FunctionID]) -> PinnedList {
        let hasFew = catalog.pins.count <= PinnedList.fewPins
        let members = hasFew ? nil : Membership(of: list, in: catalog)
        let pins = catalog.pins.filter { members?.contains($0.id) ?? list.contains($0.id) }
        // Where nothing is pinned the list is its own free part, and nothing is copied.
        if pins.isEmpty { return PinnedList(free: list, pins: []) }
        var free: [FunctionID] = []
        // Room for what may come in.
        free.reserveCapacity(list.count + 1)
        let pinned = hasFew ? nil : Membership(of: pins.map(\.id), in: catalog)
        for id in list where !(pinned?.contains(id) ?? pins.contains { $0.id == id }) { free.append(id) }
        return PinnedList(free: free, pins: pins)
    }

    func takenApart() -> PinnedList { takenApart(favorites) }
}
