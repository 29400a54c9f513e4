import LayoutModel
import LayoutSQLite
import Testing

@Suite struct RevisionRingTests {
    /// Every length and the next, every number of changes under each: what stays is the newest, as a plain list says.
    @Test(arguments: 1...5, 1...5) func theNewestStayWhenTheLengthChanges(before: Int, after: Int) {
        for count in 0...11 {
            var history = History(length: before)
            for version in 0..<count { history.add(Version(version + 1)) }
            history.ring = RevisionRing(length: after)
            for version in count...(count + 11) { history.add(Version(version + 1)) }
            #expect(history.faults == [], "\(count) changes before")
        }
    }

    /// Restores leave gaps, age takes from the bottom, and lengths change, in any order.
    @Test func theNewestStayWhateverHappens() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var (history, version) = (History(length: .random(in: 1...6, using: &random)), Version(0))
            for _ in 0..<60 {
                switch Int.random(in: 0..<12, using: &random) {
                case 0: version = (version / 1_000 + 1_000) * 1_000
                case 1: history.ring = RevisionRing(length: .random(in: 1...6, using: &random))
                case 2: history.dropOldest(.random(in: 0...3, using: &random))
                default: break
                }
                version += 1
                history.add(version)
            }
            #expect(history.faults == [])
        }
    }

    /// What it is for: a history that is full, or still grows, is never put in order.
    @Test func nothingIsArrangedWithoutNeed() {
        var history = History(length: 4)
        for version in 1...20 { history.add(Version(version)) }
        #expect(history.arrangements == 0)
        history.dropOldest(2)
        for version in 21...30 { history.add(Version(version)) }
        #expect(history.arrangements == 0, "nor where age has taken some")
    }

    /// After a gap, or under another length, it is for as long as old rows are in the way, and no longer.
    @Test func everyOrderComesBack() {
        var history = History(length: 4)
        for version in 1...6 { history.add(Version(version)) }
        for version in 1_000_001...1_000_020 { history.add(Version(version)) }
        #expect(history.arrangements <= 4)
        history.ring = RevisionRing(length: 3)
        for version in 1_000_021...1_000_040 { history.add(Version(version)) }
        #expect(history.arrangements <= 5, "a new length: once")
    }

    /// What an earlier schema left lies under its version.
    @Test(arguments: [1, 4, 5, 60]) func whatLiesUnderItsVersionIsPutInPlace(newest: Int) {
        var history = History(length: 4)
        for version in max(1, newest - 3)...newest { history.lay(Version(version), at: Int64(version)) }
        for version in (newest + 1)...(newest + 9) { history.add(Version(version)) }
        #expect(history.faults == [])
        #expect(history.arrangements <= 1)
    }

    @Test func aVersionThatCannotBeHasAPlace() {
        for version in [-1, .min, .max] as [Version] {
            #expect((0..<7).contains(RevisionRing(length: 7).place(of: version)))
        }
    }
}

/// The rows of a user, beside a plain list of what should be there.
private struct History {
    var ring: RevisionRing
    private(set) var faults: [String] = []
    private(set) var arrangements = 0
    private var rows: [Int64: Version] = [:]
    private var expected: [Version] = []

    init(length: Int) { ring = RevisionRing(length: length) }

    mutating func lay(_ version: Version, at place: Int64) {
        rows[place] = version
        expected.append(version)
    }

    mutating func add(_ version: Version) {
        let beyond = rows.keys.contains { $0 >= ring.length }
        let place = ring.place(of: version)
        let isOverwritten = rows[place] != nil && rows[place] == ring.oldest(leavingFor: version) && !beyond
        if !isOverwritten, rows[place] != nil || beyond { arrange(for: version) }
        if (rows.updateValue(version, forKey: place) == nil) == isOverwritten {
            faults.append("\(version): its place was not as expected")
        }
        expected = (expected + [version]).suffix(ring.length)
        if rows.values.sorted() != expected {
            faults.append("\(version): \(rows.values.sorted()) in place of \(expected)")
        }
        if !rows.keys.allSatisfy({ (0..<Int64(ring.length)).contains($0) }) {
            faults.append("\(version): places \(rows.keys)")
        }
    }

    mutating func dropOldest(_ count: Int) {
        // The newest always stays.
        for version in expected.dropLast().prefix(count) { rows = rows.filter { $0.value != version } }
        expected.removeFirst(min(count, max(expected.count - 1, 0)))
    }

    private mutating func arrange(for version: Version) {
        arrangements += 1
        let sorted = rows.map { RevisionRing.Row(place: $0.key, version: $0.value) }.sorted { $0.version < $1.version }
        let arrangement = ring.arrangement(of: sorted, for: version)
        for place in arrangement.leaving { rows[place] = nil }
        let lifted = arrangement.moves.map { ($0.to, rows.removeValue(forKey: $0.from)) }
        for (place, version) in lifted where rows.updateValue(version ?? -1, forKey: place) != nil {
            faults.append("two rows at \(place)")
        }
    }
}
