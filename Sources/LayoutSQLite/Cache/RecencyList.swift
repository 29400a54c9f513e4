/// Elements in the order of their last use. Each keeps its place number until it is removed; every operation is O(1).
struct RecencyList<Element> {
    private struct Node {
        /// Nil for a free place, and for the first, which stands between the oldest and the newest.
        var element: Element?
        var older: Int
        var newer: Int
    }

    private static var ends: Int { 0 }
    private var nodes = [Node(element: nil, older: 0, newer: 0)]
    private var free: [Int] = []

    /// The place of the one whose last use is longest ago; nil where there is none.
    var oldest: Int? {
        let place = nodes[Self.ends].newer
        return place == Self.ends ? nil : place
    }

    /// The place must be taken. Lent and not copied (`_read`): an element's references are not counted for a look at it.
    subscript(place: Int) -> Element {
        _read { yield nodes[place].element! }
    }

    mutating func add(_ element: Element) -> Int {
        let place: Int
        if let reused = free.popLast() {
            place = reused
            nodes[place].element = element
        } else {
            place = nodes.count
            nodes.append(Node(element: element, older: 0, newer: 0))
        }
        link(place)
        return place
    }

    /// The new one is the newest.
    mutating func replace(_ place: Int, with element: Element) {
        nodes[place].element = element
        use(place)
    }

    mutating func use(_ place: Int) {
        guard nodes[Self.ends].older != place else { return }
        unlink(place)
        link(place)
    }

    mutating func remove(at place: Int) {
        unlink(place)
        nodes[place].element = nil
        free.append(place)
    }

    /// As the newest.
    private mutating func link(_ place: Int) {
        let newest = nodes[Self.ends].older
        nodes[place].older = newest
        nodes[place].newer = Self.ends
        nodes[newest].newer = place
        nodes[Self.ends].older = place
    }

    private mutating func unlink(_ place: Int) {
        let (older, newer) = (nodes[place].older, nodes[place].newer)
        nodes[older].newer = newer
        nodes[newer].older = older
    }
}
