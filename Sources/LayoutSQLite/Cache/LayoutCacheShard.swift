import LayoutApplication
import LayoutModel
import Locking

/// One lock's part of `LayoutCache`; the rules are told there.
final class LayoutCacheShard: Sendable {
    private let state: Mutex<State>

    init(capacity: Int) { state = Mutex(State(capacity: capacity)) }

    func use(_ user: UserID) -> LayoutEntry? { state.withLock { $0.use(user) } }

    func entry(of user: UserID) -> LayoutEntry? { state.withLock { $0.entry(of: user) } }

    var epoch: UInt64 { state.withLock { $0.epoch } }

    func keep(_ read: LayoutEntry, of user: UserID, cost: Int, readIn epoch: UInt64) -> LayoutEntry {
        state.withLock { state in
            if let present = state.entry(of: user) { return present }
            if state.commits == 0, state.epoch == epoch, state.admits(user, cost: cost) {
                state.put(read, of: user, cost: cost)
            }
            return read
        }
    }

    func commitBegins() { state.withLock { $0.commits += 1 } }

    func commitEnds(_ entry: LayoutEntry, of user: UserID, cost: Int) {
        state.withLock { state in
            state.put(entry, of: user, cost: cost)
            state.commits -= 1
            state.epoch += 1
        }
    }

    func commitFails(_ user: UserID) {
        state.withLock { state in
            state.remove(user)
            state.commits -= 1
            state.epoch += 1
        }
    }

    func removeAll() { state.withLock { $0.removeAll() } }

    var counts: LayoutCache.Counts { state.withLock { $0.counts } }

    private struct State {
        let capacity: Int
        /// Commits in flight, counted a changed user.
        var commits = 0
        /// How many commits have ended.
        var epoch: UInt64 = 0
        private(set) var counts = LayoutCache.Counts()
        private var list = RecencyList<Kept>()
        private var places: [UserID: Int] = [:]
        /// Marks of users who were turned away lately, each at a place of its own or another's.
        private var turnedAway: [UInt32] = []

        private struct Kept {
            let user: UserID
            let entry: LayoutEntry
            let cost: Int
        }

        init(capacity: Int) { self.capacity = capacity }

        func entry(of user: UserID) -> LayoutEntry? { places[user].map { list[$0].entry } }

        mutating func use(_ user: UserID) -> LayoutEntry? {
            guard let place = places[user] else {
                counts.misses += 1
                return nil
            }
            counts.hits += 1
            list.use(place)
            return list[place].entry
        }

        /// Whether what was read of a user may stay. Where that would push somebody out, it may at the second time: a million
        /// users who are read once each would take the room of those who are read over and over.
        mutating func admits(_ user: UserID, cost: Int) -> Bool {
            guard counts.bytes + cost > capacity else { return true }
            if turnedAway.isEmpty { turnedAway = Array(repeating: 0, count: 4_096) }
            let place = Int((user.spread >> 8) % 4_096)
            let mark = UInt32(truncatingIfNeeded: user.spread >> 32)
            if turnedAway[place] == mark { return true }
            turnedAway[place] = mark
            return false
        }

        mutating func put(_ entry: LayoutEntry, of user: UserID, cost: Int) {
            guard cost <= capacity else { return remove(user) }
            let kept = Kept(user: user, entry: entry, cost: cost)
            counts.bytes += cost
            if let place = places[user] {
                counts.bytes -= list[place].cost
                list.replace(place, with: kept)
            } else {
                counts.entries += 1
                places[user] = list.add(kept)
            }
            // This one is the newest, and fits.
            while counts.bytes > capacity, let oldest = list.oldest { remove(list[oldest].user) }
        }

        mutating func remove(_ user: UserID) {
            guard let place = places.removeValue(forKey: user) else { return }
            counts.entries -= 1
            counts.bytes -= list[place].cost
            list.remove(at: place)
        }

        mutating func removeAll() {
            list = RecencyList()
            places = [:]
            counts.entries = 0
            counts.bytes = 0
        }
    }
}
