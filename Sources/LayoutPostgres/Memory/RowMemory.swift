package import LayoutModel
package import LayoutRecords
import Locking

/// Rows of `layouts` as they were when they were last read or written here, bounded by bytes. A guess and never the truth:
/// other servers write beside this one, and nobody tells it. So a row from here serves one purpose, to decide a change on it
/// without asking first; the statement that writes the change compares it with what is there (`ChangeStatement`), and
/// whatever the guess has got wrong comes out then. Nothing is answered on the word of this memory.
///
/// Who decides on a row takes it out, and puts the next one in once that is committed: where a change fails, or nobody knows
/// what became of it, nothing is left to be believed.
package final class RowMemory: Sendable {
    private let state: Mutex<State>

    /// - Parameter bytes: for all rows, an estimate; 0 remembers none.
    package init(bytes: Int) { state = Mutex(State(capacity: bytes / 2)) }

    /// In the order of the users; nil for those of whom nothing is known.
    package func take(_ users: [UserID]) -> [LayoutRow?] {
        state.withLock { state in users.map { state.take($0) } }
    }

    /// A row that is older than the one remembered is passed over: it was read before that one was written.
    package func remember(_ rows: [(user: UserID, row: LayoutRow)]) {
        let forgotten = state.withLock { state in
            rows.reduce(into: []) { $0 += state.remember($1.row, of: $1.user).map { [$0] } ?? [] }
        }
        // Freed here, where nobody waits for it.
        withExtendedLifetime(forgotten) {}
    }

    package func forget(_ user: UserID) { state.withLock { _ = $0.remove(user) } }

    package var counts: Counts { state.withLock { $0.counts } }

    package struct Counts: Equatable, Sendable {
        package var rows = 0
        package var bytes = 0
        /// Changes that were decided on a row from here, and those for which one had to be read.
        package var hits = 0
        package var misses = 0
    }
}

/// Two generations, in place of an order of every use: what is used moves into the young one, and when that is full the old
/// one goes, with all that was not used for so long.
private struct State {
    typealias Generation = [UserID: LayoutRow]

    /// Of one generation.
    let capacity: Int
    private var young = (rows: Generation(), bytes: 0)
    private var old = (rows: Generation(), bytes: 0)
    private var hits = 0
    private var misses = 0

    init(capacity: Int) { self.capacity = capacity }

    var counts: RowMemory.Counts {
        .init(rows: young.rows.count + old.rows.count, bytes: young.bytes + old.bytes, hits: hits, misses: misses)
    }

    mutating func take(_ user: UserID) -> LayoutRow? {
        let row = remove(user)
        if row == nil { misses += 1 } else { hits += 1 }
        return row
    }

    /// - Returns: the generation that went to make room.
    mutating func remember(_ row: LayoutRow, of user: UserID) -> Generation? {
        // As most are, of those who are read again and again.
        if let present = young.rows[user], present.version >= row.version { return nil }
        var kept = row
        if let present = remove(user), present.version > row.version { kept = present }
        let cost = Self.cost(of: user, kept)
        guard cost <= capacity else { return nil }
        var forgotten: Generation?
        if young.bytes + cost > capacity {
            forgotten = old.rows
            old = young
            young = ([:], 0)
        }
        young.rows[user] = kept
        young.bytes += cost
        return forgotten
    }

    mutating func remove(_ user: UserID) -> LayoutRow? {
        if let row = young.rows.removeValue(forKey: user) {
            young.bytes -= Self.cost(of: user, row)
            return row
        }
        guard let row = old.rows.removeValue(forKey: user) else { return nil }
        old.bytes -= Self.cost(of: user, row)
        return row
    }

    /// About what a row takes: its place in a table that is half empty, and two texts.
    private static func cost(of user: UserID, _ row: LayoutRow) -> Int {
        256 + user.text.utf8.count + (row.items?.utf8.count ?? 0)
    }
}
