import LayoutApplication
package import LayoutModel

/// The key of one history row. The user as bytes: a damaged id that is no UTF-8 would come back as another text, and a
/// sweep that goes on from there would find the same row for ever.
package struct RevisionKey: Comparable, Sendable {
    package let user: [UInt8]
    package let version: Version

    package static let first = Self(user: [], version: 0)

    package init(user: [UInt8], version: Version) {
        self.user = user
        self.version = version
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.user == right.user ? left.version < right.version : left.user.lexicographicallyPrecedes(right.user)
    }
}

/// Which rows of the history go by age. A history has no holes: of one user those leave that are older than every one that
/// stays, however the clock jumped while they were made.
package struct RevisionSweep: Sendable {
    /// Where it stands.
    package private(set) var key = RevisionKey.first
    /// The user of whom a row stays.
    private var staying: [UInt8]?

    package struct Row: Sendable {
        package let key: RevisionKey
        package let isOld: Bool

        package init(key: RevisionKey, isOld: Bool) {
            self.key = key
            self.isOld = isOld
        }
    }

    package init() {}

    /// Goes on over `rows`, which are in the order of their keys and come after `key`.
    ///
    /// - Returns: those that go; nil where the rows are out of order, which only damage can have done, and no sweep would
    ///   come to an end.
    package mutating func advance(over rows: [Row]) -> [RevisionKey]? {
        var leaving: [RevisionKey] = []
        for row in rows {
            guard key < row.key else { return nil }
            key = row.key
            if row.key.user == staying { continue }
            if row.isOld { leaving.append(row.key) } else { staying = row.key.user }
        }
        return leaving
    }

    /// Rows looked at in one go: a few milliseconds of a reader.
    package static let stride = 1_000
    /// Rows deleted in one transaction: those who wait behind it wait little longer than behind a batch of changes.
    package static let deletedAtOnce = 200

    /// Goes over the whole history, between the changes of others.
    ///
    /// - Parameters:
    ///   - rows: at most `stride` rows that come after a key, in the order of their keys; none where there are no more.
    ///   - delete: takes rows out in one transaction, and says how many went.
    /// - Returns: how many rows went.
    /// - Throws: `StoreError.damaged` where the rows are out of order; `CancellationError`; what the two throw.
    package static func run(
        over rows: (RevisionKey) async throws -> [Row], delete: (ArraySlice<RevisionKey>) async throws -> Int
    ) async throws -> Int {
        var sweep = RevisionSweep()
        var count = 0
        while true {
            try Task.checkCancellation()
            let rows = try await rows(sweep.key)
            if rows.isEmpty { return count }
            guard let leaving = sweep.advance(over: rows) else {
                throw StoreError.damaged(what: "the revisions are out of order")
            }
            for start in Swift.stride(from: 0, to: leaving.count, by: deletedAtOnce) {
                // What was old and not the newest when it was read is so now.
                count += try await delete(leaving[start..<min(start + deletedAtOnce, leaving.count)])
            }
        }
    }
}
