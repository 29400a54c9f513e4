package import LayoutModel

/// Where the versions of one user's history lie, so that the newest is written over the one that leaves. Two rows at the ends
/// of a history are two pages for each change, and pages that are split at one end and joined at the other.
///
/// Each version has a place of its own, from 0 up to the history's length, and no row lies beyond: so there are never too
/// many. A row may lie in another's place, under another length than today's or in the way of a gap, which a restore leaves
/// between two versions (`VersionFloor`). Rows are read by their versions; their places matter to the next change alone.
package struct RevisionRing: Sendable {
    /// Versions that stay, the newest among them; at least 1.
    package let length: Int

    package init(length: Int) { self.length = length }

    package struct Row: Equatable, Sendable {
        package let place: Int64
        package let version: Version

        package init(place: Int64, version: Version) {
            self.place = place
            self.version = version
        }
    }

    /// What has to happen before a version can be written to its place.
    package struct Arrangement: Equatable, Sendable {
        /// The places of rows that leave.
        package var leaving: [Int64] = []
        /// Rows that lie elsewhere from now on; some may change places with each other.
        package var moves: [Move] = []
    }

    package struct Move: Equatable, Sendable {
        package let from: Int64
        package let to: Int64
    }

    /// Whatever damage made of the version, it is a place.
    package func place(of version: Version) -> Int64 {
        Int64(UInt64(bitPattern: version) % UInt64(length))
    }

    /// The version that `version` is written over where the rows lie in order: the one a whole length behind it. With no row
    /// beyond the last place there are no more rows than places, and then it is the oldest. nil where there can be none.
    package func oldest(leavingFor version: Version) -> Version? {
        version > Version(length) ? version - Version(length) : nil
    }

    /// Makes room for `version`: the oldest leave, and the others come to lie in their places.
    ///
    /// - Parameter rows: all of the user's, oldest first, `version` not among them.
    package func arrangement(of rows: [Row], for version: Version) -> Arrangement {
        let staying = rows.suffix(length - 1)
        var result = Arrangement(leaving: rows.dropLast(staying.count).map(\.place))
        var taken: Set = [place(of: version)]
        func put(_ row: Row, in place: Int64) {
            if place != row.place { result.moves.append(Move(from: row.place, to: place)) }
        }
        // Of two with one place the newer has it, and the other, which leaves first, one that nobody has.
        var others: [Row] = []
        for row in staying.reversed() {
            let place = place(of: row.version)
            if taken.insert(place).inserted { put(row, in: place) } else { others.append(row) }
        }
        var next: Int64 = 0
        for row in others {
            while !taken.insert(next).inserted { next += 1 }
            put(row, in: next)
        }
        return result
    }
}
